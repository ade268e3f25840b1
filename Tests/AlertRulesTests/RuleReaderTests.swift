import AlertRules
import Testing

@Suite("Rule files")
struct RuleReaderTests {
    private func problems(_ text: String) -> [String] {
        do {
            _ = try RuleSetReader.read([RuleFile(name: "r.json5", text: text)])
            return []
        } catch {
            return error.entries.map(\.description)
        }
    }

    @Test(
        "says place and suggestion for each mistake",
        arguments: [
            (
                #"{rules: [{id: "a", metric: "heart-rate", severity: "wraning", above: 1}]}"#,
                #"1:52: "severity" cannot be "wraning"; did you mean "warning"?"#
            ),
            (#"{rules: [{id: "a", metric: "heart-rate", severity: "warning", abvoe: 1}]}"#, "nothing is compared"),
            (
                #"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 1, fro: "1m"}]}"#,
                #"1:73: "fro" is not known here; did you mean "for"?"#
            ),
            (#"{rules: [{id: "a b", metric: "heart-rate", severity: "warning", above: 1}]}"#, #"1:15: "id" must be"#),
            (#"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 1, for: 60}]}"#, "must be a duration"),
            (#"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 1, below: 5}]}"#, "only one of above, below"),
            (#"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 110, clear: 120}]}"#, "wrong side"),
            (#"{rules: [{id: "a", metric: "ecg", severity: "warning", above: 1}]}"#, "waveform"),
            (#"{rules: [{id: "a", metric: "consciousness", severity: "warning", above: 1}]}"#, "is a text"),
            (#"{rules: [{id: "a", metric: "consciousness", severity: "warning", equals: "asleep"}]}"#, "is never"),
            (#"{rules: [{id: "a", metric: "heart-rate", severity: "warning", outside: [100, 50]}]}"#, "the lower first"),
            (
                #"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 1, schedule: {zone: "Europe/Berln"}}]}"#,
                #"did you mean "Europe/Berlin"?"#
            ),
            (#"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 1, inhibitedBy: ["b"]}]}"#, "no other rule"),
            (
                #"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 1}, {id: "a", metric: "heart-rate", severity: "warning", above: 2}]}"#,
                "already at r.json5:1:10"
            ),
            (
                #"{rules: [{id: "a", metric: "heart-rate", levels: [{severity: "critical", above: 1}, {severity: "warning", above: 2}]}]}"#,
                "mildest to the worst"
            ),
            (#"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 1, message: {de: "x"}}]}"#, "no English text"),
            (#"{rules: [{id: "a", severity: "warning", when: {all: []}}]}"#, "empty"),
            (#"{rule: []}"#, #""rules" is missing"#),
            (#"{rules: [1]}"#, "must be an object"),
        ])
    func mistakes(text: String, words: String) {
        #expect(problems(text).contains { $0.hasPrefix("r.json5:") && $0.contains(words) }, "\(problems(text))")
    }

    @Test("says every mistake of a file, not just the first")
    func all() {
        let found = problems(#"{rules: [{id: "a", metric: "hart-rate", severity: "bad", above: "x", latch: 1}]}"#)
        #expect(found.count == 4, "\(found)")
    }

    @Test(
        "reads durations",
        arguments: [("90s", 90_000_000), ("1h30m", 5_400_000_000), ("250ms", 250_000), ("7d", 604_800_000_000), ("1.5h", 5_400_000_000)]
            as [(String, Int64)])
    func durations(text: String, microseconds: Int64) {
        #expect(DurationText.microseconds(text) == microseconds)
    }

    @Test("refuses what is no duration", arguments: ["", "5", "m", "5 parsecs", "-5m", "99999d"])
    func noDurations(text: String) {
        #expect(DurationText.microseconds(text) == nil)
    }
}
