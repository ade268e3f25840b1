import AlertRules
import Alerting
import Foundation
import TestSupport
import Testing
import VigilSchema

@Suite("Trying rules out on recordings")
struct ReplayTests {
    private func rules(_ text: String) throws -> RuleSet { try RuleSetReader.read([RuleFile(name: "r.json5", text: text)]) }

    @Test("raises when time alone would have raised, and when readings stop")
    func time() throws {
        let rules = try rules(
            """
            {rules: [{id: "high", metric: "heart-rate", severity: "warning", above: 110, for: "30s", lateness: "5s"},
              {id: "silent", kind: "technical", metric: "heart-rate", severity: "notice", noData: "2m"}]}
            """)
        let start: Int64 = 1_700_000_000_000_000
        let result = try RuleReplay.run(
            rules: rules, readings: [ReplayReading(participant: "1", metric: "heart-rate", time: start, value: .number(120))])
        #expect(result.events.map { "\($0.rule) \($0.transition)" }.prefix(3) == ["high pending", "high raised", "silent raised"])
        #expect(result.events[1].decided == 1_700_000_035)
    }

    @Test("counts what a naive threshold would have raised")
    func naive() throws {
        let rules = try rules(#"{rules: [{id: "high", metric: "heart-rate", severity: "warning", above: 110, clear: 100, for: "5s"}]}"#)
        let readings = (0..<100).map {
            ReplayReading(
                participant: "1", metric: "heart-rate", time: 1_700_000_000_000_000 + Int64($0) * 1_000_000,
                value: .number($0 < 10 || $0 % 2 == 0 ? 111 : 109))
        }
        #expect(try RuleReplay.run(rules: rules.naive, readings: readings).raised == 45)
        #expect(try RuleReplay.run(rules: rules, readings: readings).raised == 1)
    }

    @Test(
        "raises fewer alerts than a naive threshold over the recorded stress study, with the shipped rules",
        .enabled(if: RecordedData.has("health-hacks"), Comment(rawValue: RecordedData.hint)))
    func stressStudy() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let rules = try RuleSetReader.read(try RuleFolder.read(folder.appending(path: "deploy/rules").path))
        let files = RecordedData.files(in: "health-hacks", extension: "csv")
            .filter { ["HR.csv", "1.csv"].contains($0.lastPathComponent) && $0.path.contains("session") }
        var readings: [ReplayReading] = []
        // A day's worth.
        for file in files where readings.count < 86_400 { readings += try AlertTools.recording(file.path) }
        readings = Array(readings.prefix(86_400))
        #expect(readings.count == 86_400)
        let careful = try RuleReplay.run(rules: rules, readings: readings)
        let naive = try RuleReplay.run(rules: rules.naive, readings: readings)
        print("stress study: \(careful.summary); \(careful.comparison(naive))")
        #expect(careful.raised * 3 <= naive.raised)
    }
}
