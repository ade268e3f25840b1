import Foundation
import Testing
import VigilSchema

@testable import TimelineStore

@Suite("The cost of corrections", .timeLimit(.minutes(5)))
struct CorrectionSpeedTests {
    /// Corrects the same 5,000 readings, each in a minute of its own, again and again.
    /// - Returns: seconds of each round, the first of which stores them.
    private func rounds(_ count: Int, step: Double, _ store: any SQLTimelineStore) async throws -> [Double] {
        var seconds: [Double] = []
        for round in 0..<count {
            let observations = (0..<5000).map { heartRate(60 + Double(round), at: Double($0) * step) }
            let sent = batch(observations, received: start.advanced(bySeconds: Double(round)))
            let clock = ContinuousClock()
            let spent = try await clock.measure {
                let counts = try await store.append([sent])
                #expect(counts == [round == 0 ? AppendCounts(stored: 5000) : AppendCounts(corrections: 5000)])
            }
            seconds.append(spent / .seconds(1))
        }
        return seconds
    }

    @Test("corrections without end cost as much each time, and about as much as new readings", arguments: StoreKind.allCases, [1.0, 60.0])
    func endless(_ kind: StoreKind, step: Double) async throws {
        try await kind.withStore { store async throws in
            let seconds = try await rounds(32, step: step, store)
            let early = seconds[1...6].sorted()[2], late = seconds.suffix(6).sorted()[2]
            let rates = [seconds[0], early, late].map { Int(5000 / $0) }
            // A busy machine is slow for all of them.
            #expect(late < 3 * early && early < 20 * seconds[0], "readings a second, new and corrected, at first and at last: \(rates)")
            if ProcessInfo.processInfo.environment["VIGIL_SPEED"] != nil { print("SPEED \(kind) step \(step): \(rates)") }
            #expect(try await store.count("rollup_day", where: "max = 91 AND min = 91") >= 1)
            #expect(try await store.count("correction") == 31 * 5000)
        }
    }
}
