import Foundation
import SignalSynthesis
import Testing

@testable import AlertRules

/// Participants as bytes, and spread out.
@Suite("Participants of whom nothing is heard")
struct PackingTests {
    private static let vitals: [(metric: String, well: Double, range: ClosedRange<Double>)] = [
        ("heart-rate", 72, 55...135), ("respiration-rate", 15, 8...26), ("oxygen-saturation", 97, 88...99),
        ("systolic-pressure", 118, 95...185), ("diastolic-pressure", 74, 55...125), ("body-temperature", 36.6, 35.5...39.4),
    ]

    /// The rules as they are shipped.
    private static func shipped() throws -> RuleSet {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let folder = root.appending(path: "deploy/rules")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try RuleSetReader.read(
            files.filter { $0.pathExtension == "json5" }.sorted { $0.path < $1.path }.map {
                RuleFile(name: $0.lastPathComponent, text: try String(contentsOf: $0, encoding: .utf8))
            })
    }

    /// Six vital signs of each of some participants, at a second.
    private static func take(
        _ engine: inout AlertEngine, _ participants: Range<Int>, second: Int64, _ random: inout SeededGenerator, isWell: Bool,
        into output: inout EngineOutput
    ) {
        for participant in participants {
            let index = engine.index(of: "person-\(participant)")
            let readings = vitals.compactMap { metric, well, range -> Reading? in
                let value = isWell ? well : Double.random(in: range, using: &random)
                let time = second * 1_000_000 - Int64.random(in: 0...2_000_000, using: &random)
                return engine.rules.metric(named: metric).map {
                    Reading(metric: $0, time: time, received: second * 1_000_000, value: (value * 10).rounded() / 10)
                }
            }
            engine.take(readings, of: index, now: second * 1_000_000, into: &output)
        }
    }

    @Test("are decided of as if they had been spread out all the time, whatever comes and however few may be", arguments: 1...2)
    func sameDecisions(seed: Int) throws {
        let start: Int64 = 1_700_000_000
        var (roomy, tight) = (
            AlertEngine(rules: try Self.shipped(), now: start * 1_000_000), AlertEngine(rules: try Self.shipped(), now: start * 1_000_000)
        )
        tight.spreadLimit = 2
        var (expected, found) = (EngineOutput(), EngineOutput())
        for step in 0..<40 {
            let second = start + Int64(step * 37)
            var (one, other) = (SeededGenerator(seed: UInt64(seed * 100 + step)), SeededGenerator(seed: UInt64(seed * 100 + step)))
            Self.take(&roomy, 0..<8, second: second, &one, isWell: step % 5 == 0, into: &expected)
            Self.take(&tight, 0..<8, second: second, &other, isWell: step % 5 == 0, into: &found)
            roomy.advance(to: second * 1_000_000, now: second * 1_000_000, into: &expected)
            tight.advance(to: second * 1_000_000, now: second * 1_000_000, into: &found)
        }
        #expect(expected.events.count > 40)
        #expect(found.events == expected.events && found.derived == expected.derived && found.ignored == expected.ignored)
        #expect((0..<8).allSatisfy { roomy.encoded(participant: $0) == tight.encoded(participant: $0) })
        #expect(tight.participants.spreadCount <= 2)
    }

    @Test("take half a kilobyte each under the shipped rules with six vital signs, and few are spread out")
    func size() throws {
        let start: Int64 = 1_700_000_000
        var engine = AlertEngine(rules: try Self.shipped(), now: start * 1_000_000)
        var (output, random) = (EngineOutput(), SeededGenerator(seed: 1))
        for second in start..<start + 20 {
            Self.take(
                &engine, Int(second - start) * 20..<Int(second - start + 1) * 20, second: second, &random, isWell: true, into: &output)
            engine.advance(to: second * 1_000_000, now: second * 1_000_000, into: &output)
        }
        let sizes = (0..<400).map { engine.encoded(participant: $0).count }
        #expect(sizes.reduce(0, +) / sizes.count < 650, "\(sizes.reduce(0, +) / sizes.count) bytes each")
        #expect(engine.participants.spreadCount <= 4 * 20)
        engine.adopt(try Self.shipped())
        #expect(engine.participants.spreadCount == 0)
        #expect((0..<400).map { engine.encoded(participant: $0).count }.max() ?? 0 < 900)
    }

    @Test("are spread out only as many as 32 MB hold, under the rules that there are")
    func spreadLimit() throws {
        let percentile = "above: {default: 0.9, percentile: 95, minimumReadings: 100, atLeast: 0.5}"
        let learning = (0..<9).map { #"{id: "a\#($0)", metric: "stress-level", severity: "notice", \#(percentile)}"# }
        let text = "{rules: [\(learning.joined(separator: ", "))]}"
        checkSpreadLimit(try Self.shipped())
        checkSpreadLimit(try RuleSetReader.read([RuleFile(name: "r", text: text)]))
    }

    private func checkSpreadLimit(_ rules: RuleSet) {
        let state = ParticipantState(rules, name: "12", clock: 0)
        let tables = [
            MemoryLayout<AlertState>.stride * state.alerts.count, MemoryLayout<LevelState>.stride * state.levels.count,
            MemoryLayout<LeafState>.stride * state.leaves.count, MemoryLayout<Int64>.stride * state.rings.count,
            MemoryLayout<Float>.stride * state.histories.count * ValueHistory.binCount,
        ]
        // Beside them some names and notes.
        let bytes = tables.reduce(1024, +)
        let limit = ParticipantState.spreadLimit(rules)
        #expect(limit > 256, "else the rules decide nothing")
        #expect(limit * bytes <= 32 << 20)
        #expect(limit * bytes > 31 << 20, "\(limit) of \(bytes) bytes")
    }
}
