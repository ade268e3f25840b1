import AlertRules
import Testing

@Suite("The burden of alarms")
struct AlarmBurdenTests {
    private func rules(_ more: String = "") throws -> RuleSet {
        let text = """
            {rules: [
                {id: "fast", metric: "heart-rate", severity: "warning", above: 100, clear: 90, staleAfter: "1m"\(more)},
                {id: "gone", kind: "technical", metric: "heart-rate", severity: "notice", noData: "2m"},
            ]}
            """
        return try RuleSetReader.read([RuleFile(name: "r.json5", text: text)])
    }

    /// A reading every ten seconds, above the limit while `isHigh` says so.
    private func readings(minutes: Int64, of participant: String = "1", isHigh: (Int64) -> Bool) -> [ReplayReading] {
        stride(from: Int64(0), through: minutes * 60, by: 10).map { second in
            ReplayReading(
                participant: participant, metric: "heart-rate", time: (EngineHarness.start + second) * 1_000_000,
                value: .number(isHigh(second) ? 120 : 70))
        }
    }

    private func burden(_ rules: RuleSet, _ readings: [ReplayReading]) throws -> AlarmBurden {
        AlarmBurden(rules, try RuleReplay.run(rules: rules, readings: readings), readings)
    }

    @Test("counts alarms, and crossings of two minutes and more, none of them missed where the rule tells at once")
    func counts() throws {
        let rules = try self.rules()
        // Above from 60 to 110 s, too short to count as a crossing; from 300 to 420 s, just long enough; from 600 to 1200 s.
        let readings = self.readings(minutes: 30) { (60...110).contains($0) || (300...420).contains($0) || (600...1200).contains($0) }
        let burden = try self.burden(rules, readings)
        #expect(lines(burden) == ["fast 3 2 0"])
        #expect(burden.table.contains("| `fast` | 3 | 144 | 2 | 0 |"), "\(burden.table)")
        #expect(burden.table.contains("| all | 3 | 144 | 2 | 0 |"), "\(burden.table)")
    }

    @Test("a crossing ends with a gap as long as the rule's staleness")
    func gap() throws {
        let rules = try self.rules()
        let all = readings(minutes: 10) { _ in true }
        let halves = all.filter { !(200..<290).contains($0.time / 1_000_000 - EngineHarness.start) }
        #expect(try burden(rules, all).lines.map(\.crossings) == [1])
        #expect(try burden(rules, halves).lines.map(\.crossings) == [2])
    }

    @Test("a crossing during which nobody was alarmed is missed, as with a delay that is too long")
    func missed() throws {
        let rules = try self.rules(#", for: "5m""#)
        let readings = self.readings(minutes: 40) { (60...240).contains($0) || (600...1200).contains($0) }
        #expect(lines(try burden(rules, readings)) == ["fast 1 2 1"])
    }

    @Test("a gap just as long as the staleness ends no crossing, a longer one does", arguments: [(50, 1), (60, 2)] as [(Int64, Int)])
    func gapBound(missing: Int64, crossings: Int) throws {
        let readings = self.readings(minutes: 10) { _ in true }.filter {
            !(200..<200 + missing).contains($0.time / 1_000_000 - EngineHarness.start)
        }
        #expect(try burden(try rules(), readings).lines.map(\.crossings) == [crossings])
    }

    @Test("an alarm that was over before a crossing began does not count for it, one that goes on over its beginning does")
    func before() throws {
        // Only 120 and more is told; the limit of a crossing is the milder level's, which nobody is told of within the recording.
        let levels = #", levels: [{severity: "notice", above: 100, for: "2h"}, {severity: "critical", atLeast: 120}]"#
        let text = #"{rules: [{id: "fast", metric: "heart-rate", staleAfter: "1m"\#(levels)}]}"#
        let rules = try RuleSetReader.read([RuleFile(name: "r.json5", text: text)])
        func readings(_ value: (Int64) -> Double) -> [ReplayReading] {
            stride(from: Int64(0), through: 1800, by: 10).map { second in
                let time = (EngineHarness.start + second) * 1_000_000
                return ReplayReading(participant: "1", metric: "heart-rate", time: time, value: .number(value(second)))
            }
        }
        let apart = readings { $0 < 60 ? 130 : (600...1200).contains($0) ? 110 : 70 }
        #expect(lines(try burden(rules, apart)) == ["fast 1 1 1"])
        let over = readings { (540..<620).contains($0) ? 130 : (620...1200).contains($0) ? 110 : 70 }
        #expect(lines(try burden(rules, over)) == ["fast 1 1 0"])
        let open = readings { $0 >= 1500 ? 130 : 70 }
        #expect(lines(try burden(rules, open)) == ["fast 1 1 0"], "and one that is there at the end")
    }

    @Test("counts rules about adults' values only, each by its own metric, and adds them up")
    func several() throws {
        let text = """
            {rules: [
                {id: "fast", metric: "heart-rate", severity: "warning", above: 100, staleAfter: "1m"},
                {id: "child", metric: "heart-rate", severity: "warning", above: 100, ages: ["child"]},
                {id: "adult", metric: "heart-rate", severity: "warning", above: 110, ages: ["adult", "child"], staleAfter: "1m"},
                {id: "breath", metric: "respiration-rate", severity: "warning", above: 30, staleAfter: "1m"},
                {id: "rise", metric: "heart-rate", severity: "warning", take: "rise", over: "1m", atLeast: 500},
                {id: "gone", kind: "technical", metric: "heart-rate", severity: "notice", noData: "2m"},
            ]}
            """
        let rules = try RuleSetReader.read([RuleFile(name: "r.json5", text: text)])
        let burden = try self.burden(rules, readings(minutes: 30) { (60...300).contains($0) || (600...640).contains($0) })
        #expect(lines(burden) == ["fast 2 1 0", "adult 2 1 0", "breath 0 0 0", "rise 0 0 0"])
        #expect(burden.table.contains("| all | 4 | 192 | 2 | 0 |") && !burden.table.contains("breath"), "\(burden.table)")
    }

    @Test("an alarm of somebody else does not count for a crossing")
    func others() throws {
        let rules = try self.rules(#", participants: ["1"]"#)
        let readings = ["1", "2"].flatMap { self.readings(minutes: 10, of: $0) { _ in true } }
        #expect(lines(try burden(rules, readings)) == ["fast 1 2 1"])
    }

    @Test("a time without readings has no rate")
    func nothing() throws {
        let burden = try self.burden(try rules(), [])
        #expect(burden.table.contains("| all | 0 | – | 0 | 0 |"), "\(burden.table)")
    }

    /// Each rule with its alarms, its crossings and those of them that were missed.
    private func lines(_ burden: AlarmBurden) -> [String] {
        burden.lines.map { "\($0.rule) \($0.alarms) \($0.crossings) \($0.missed)" }
    }
}
