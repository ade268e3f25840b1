import Foundation
import ServiceKit
import Testing
import VigilSchema

@testable import HealthModules

@Suite("Readings that modules read")
struct ReadingIntakeTests {
    private let days: [(Double, Double)] = (1...40).map { (day: Int) -> (Double, Double) in
        let noise = day % 3 == 0 ? 0.4 : -0.2
        return (Double(-day) * 86_400, 80 + 0.05 * Double(day) + noise)
    }

    @Test("give the same values in any order, once or twice")
    func order() async throws {
        let (forward, shuffled) = (try HostFixture(), try HostFixture())
        try await forward.take(HostFixture.group("body-weight", days.reversed()))
        for day in days.shuffled() { try await shuffled.take(HostFixture.group("body-weight", [day, day])) }
        let expected = try await forward.findings("weight")
        #expect(expected["weighings"] == .number(40))
        #expect(try await shuffled.findings("weight") == expected)
    }

    @Test("are corrected by what was received later, whichever comes first")
    func corrections() async throws {
        let fixture = try HostFixture()
        try await fixture.take(HostFixture.group("body-weight", [(-100, 80)], received: 10))
        #expect(try await fixture.take(HostFixture.group("body-weight", [(-100, 81)], received: 20)).kept == 1)
        #expect(try await fixture.take(HostFixture.group("body-weight", [(-100, 79)], received: 15)).kept == 0)
        #expect(try await fixture.findings("weight")["latest"] == .number(81))
    }

    @Test("are passed over where their time or value cannot be")
    func absurd() async throws {
        let fixture = try HostFixture()
        let counts = try await fixture.take(
            HostFixture.group(
                "body-weight", [(200_000, 80), (-5e9, 80), (1e11, 80), (-1e11, 80), (0, .nan), (0, .infinity), (-10, 80)]))
        #expect(counts == ReadingIntake.Counts(kept: 1, known: 0, passedOver: 6))
        #expect(try await fixture.findings("weight")["latest"] == .number(80))
    }

    @Test("that modules derived are not taken in again")
    func own() async throws {
        let fixture = try HostFixture()
        let counts = try await fixture.take(HostFixture.group("body-weight", [(0, 80)], source: "vigil-modules/weight"))
        #expect(counts == ReadingIntake.Counts())
    }

    /// Reads a metric that comes all the time.
    private struct Continuous: HealthModule {
        let identity = ModuleIdentity(
            id: "continuous", name: LocalizedText("c", de: "c", ru: "c"), description: LocalizedText("c", de: "c", ru: "c"), drawing: "")
        let inputs: [ModuleInput] = [.continuous("heart-rate", days: 10, spacing: 60)]
        let parameters: [ModuleParameter] = [.value("sum", LocalizedText("s", de: "s", ru: "s"))]

        func evaluate(_ context: ModuleContext) throws -> ModuleResult {
            var result = ModuleResult()
            let readings = try context.readings("heart-rate")
            result.findings["sum"] = .number(readings.reduce(0) { $0 + $1.value * ($1.time - HostFixture.start) })
            return result
        }
    }

    @Test("of a continuous metric leave one in each minute, the same one in any order")
    func spacing() async throws {
        let beats: [(Double, Double)] = (0..<600).map { (Double($0) - 700, 60 + Double($0 % 7)) }
        var sums: [Finding?] = []
        for order in [beats, beats.reversed(), beats.shuffled()] {
            let fixture = try HostFixture([Continuous()])
            for part in stride(from: 0, to: 600, by: 50) {
                try await fixture.take(HostFixture.group("heart-rate", Array(order[part..<part + 50]), unit: "/min"))
            }
            try await fixture.take(HostFixture.group("heart-rate", beats, unit: "/min"))
            fixture.clock.now += 301
            sums.append(try await fixture.findings("continuous")["sum"])
        }
        #expect(sums[0] != nil && sums[0] == sums[1] && sums[1] == sums[2])
    }

    @Test("of a hundred thousand people leave the memory flat", .timeLimit(.minutes(3)))
    func crowd() async throws {
        let fixture = try HostFixture()
        for part in 0..<100 {
            let groups = (0..<1000).map { HostFixture.group("body-weight", [(-10, 80)], participant: "p\(part * 1000 + $0)") }
            _ = try await fixture.intake.take(groups, isHistory: false, now: fixture.clock.now)
        }
        #expect(try await fixture.state.participants().count == 100_000)
    }
}
