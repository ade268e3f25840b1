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

    @Test("warns of a delay that can never run out after a single reading, because that is too old a moment before")
    func delayAndAge() throws {
        func warnings(_ members: String) throws -> [String] {
            let text = "{rules: [{id: \"high\", metric: \"heart-rate\", severity: \"warning\", above: 110, \(members)}]}"
            return try RuleSetReader.read([RuleFile(name: "r.json5", text: text)]).warnings.map(\.description)
        }
        for fine in [#"for: "2m", staleAfter: "130s""#, #"for: "2h", staleAfter: "5m""#, #"staleAfter: "5s""#] {
            #expect(try warnings(fine).isEmpty, "\(fine)")
        }
        let warning = try warnings(#"for: "2m", staleAfter: "2m""#)
        #expect(
            warning == [
                "r.json5:1:10: a reading is known for 2m, and \"for\" with \"lateness\" lasts 2m10s: one that nothing follows is never told; "
                    + "write a longer staleAfter"
            ])
    }

    @Test(
        "does not go on with stored rules of which one cannot be read, as the kept state belongs to all",
        arguments: [#"{id: "b", severity: "warning", above: 1}"#, "1", #"{id: "b", metric: "heart-rate", levels: []}"#])
    func stored(broken: String) throws {
        let good = #"{id: "a", metric: "heart-rate", severity: "warning", above: 100}"#
        #expect(try RuleSetReader.readStored([RuleFile(name: "r.json5", text: "{rules: [\(good)]}")]).rules.first?.id == "a")
        #expect(throws: RuleError.self) { try RuleSetReader.readStored([RuleFile(name: "r.json5", text: "{rules: [\(broken), \(good)]}")]) }
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
                #"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 100, fro: "1m"}]}"#,
                #"1:75: "fro" is not known here; did you mean "for"?"#
            ),
            (#"{rules: [{id: "a b", metric: "heart-rate", severity: "warning", above: 100}]}"#, #"1:15: "id" must be"#),
            (#"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 1, for: 60}]}"#, "must be a duration"),
            (#"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 1, below: 50}]}"#, "only one of above, below"),
            (#"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 110, clear: 120}]}"#, "wrong side"),
            (#"{rules: [{id: "a", metric: "ecg", severity: "warning", above: 100}]}"#, "waveform"),
            (#"{rules: [{id: "a", metric: "consciousness", severity: "warning", above: 100}]}"#, "is a text"),
            (#"{rules: [{id: "a", metric: "consciousness", severity: "warning", equals: "asleep"}]}"#, "is never"),
            (#"{rules: [{id: "a", metric: "heart-rate", severity: "warning", outside: [100, 50]}]}"#, "the lower first"),
            (
                #"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 1, schedule: {zone: "Europe/Berln"}}]}"#,
                #"did you mean "Europe/Berlin"?"#
            ),
            (#"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 1, inhibitedBy: ["b"]}]}"#, "no other rule"),
            (
                #"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 100}, {id: "a", metric: "heart-rate", severity: "warning", above: 2}]}"#,
                "already at r.json5:1:10"
            ),
            (
                #"{rules: [{id: "a", metric: "heart-rate", levels: [{severity: "critical", above: 1}, {severity: "warning", above: 2}]}]}"#,
                "mildest to the worst"
            ),
            (#"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 1, message: {de: "x"}}]}"#, "no English text"),
            (#"{rules: [{id: "a", severity: "warning", when: {all: []}}]}"#, "empty"),
            (#"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 110, for: "2m", share: 80}]}"#, "0.5 to 1"),
            (#"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 110, share: 0.8}]}"#, #"during "for""#),
            (#"{rule: []}"#, #""rules" is missing"#),
            (#"{rules: [1]}"#, "must be an object"),
            (
                #"{rules: [{id: "a", metric: "oxygen-saturation", severity: "warning", below: 0.9}]}"#,
                #"1:77: "oxygen-saturation" lies between 50 and 100 %: no reading passes a limit of 0.9; did you mean 90?"#
            ),
            (#"{rules: [{id: "a", metric: "oxygen-saturation", severity: "warning", above: 100}]}"#, "no reading passes"),
            (#"{rules: [{id: "a", metric: "blood-glucose", severity: "warning", above: 3.9}]}"#, #"write unit: "mmol/L""#),
            (#"{rules: [{id: "a", metric: "body-temperature", severity: "warning", above: 101}]}"#, #"write unit: "[degF]""#),
            (#"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 120, unit: "mmHg"}]}"#, "is none of"),
            (
                #"{rules: [{id: "a", metric: "heart-rate", severity: "warning", take: "rise", over: "10m", above: 30}]}"#,
                #""over" is longer than "staleAfter""#
            ),
            (
                #"{rules: [{id: "a", metric: "heart-rate", levels: [{severity: "warning", above: 150}, {severity: "critical", above: 130}]}]}"#,
                "critical begins at 130, before warning at 150"
            ),
            (
                #"{rules: [{id: "a", metric: "heart-rate", levels: [{severity: "warning", below: {default: 50, infant: 60}}, {severity: "critical", below: {default: 40, infant: 70}}]}]}"#,
                "critical begins at 70, before warning at 60"
            ),
            (
                #"{rules: [{id: "a", kind: "technical", metric: "heart-rate", levels: [{severity: "warning", noData: "5m"}, {severity: "critical", noData: "1m"}]}]}"#,
                "after a shorter silence"
            ),
            (
                #"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 120, inhibitedBy: ["b"]}, {id: "b", metric: "heart-rate", severity: "warning", above: 110, inhibitedBy: ["a"]}]}"#,
                "keep each other quiet"
            ),
            (
                #"{rules: [{id: "a", metric: "heart-rate", severity: "critical", above: 120, inhibitedBy: ["b"]}, {id: "b", metric: "heart-rate", severity: "notice", above: 110}]}"#,
                "must not keep a critical quiet"
            ),
            (
                #"{rules: [{id: "a", metric: "heart-rate", severity: "notice", above: 120, inhibitedBy: ["b"]}, {id: "b", kind: "technical", metric: "ecg-quality", severity: "notice", below: 0.5}]}"#,
                "a technical alarm must not keep a medical one quiet"
            ),
            (#"{rules: [{id: "a", severity: "warning", alert: "b"}]}"#, #"there is no rule "b""#),
            (#"{rules: [{id: "a", severity: "warning", all: [{alert: "a"}, {metric: "heart-rate", above: 100}]}]}"#, "in a circle"),
            (
                #"{rules: [{id: "a", kind: "medicall", metric: "heart-rate", severity: "warning", above: 100}]}"#,
                #"did you mean "medical"?"#
            ),
            (#"{rules: [{id: "a", group: "", metric: "heart-rate", severity: "warning", above: 100}]}"#, #""group" must be a name"#),
            (
                #"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 100, escalate: [{after: "1m", to: ""}]}]}"#,
                "names nobody"
            ),
            (
                #"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 100, schedule: {zone: "UTC", from: "08:00", to: "08:00"}}]}"#,
                "the schedule is empty"
            ),
            (
                #"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 100, repeat: {count: 5, within: "1m", apart: "1m"}}]}"#,
                "do not fit"
            ),
            (#"{rules: [{id: "a", severity: "warning", expression: "heart-rate +", above: 1}]}"#, "no arithmetic"),
            (#"{rules: [{id: "a", severity: "warning", expression: "hart-rate / 2", above: 1}]}"#, #"did you mean "heart-rate"?"#),
            (
                #"{rules: [{id: "a", metric: "heart-rate", severity: "warning", above: 1, quality: {metric: "ecg-qualty", atLeast: 0.5}}]}"#,
                "ecg-quality"
            ),
            (#"{rules: [{id: "a", severity: "warning", atLeast: 3, of: [{metric: "heart-rate", above: 100}]}]}"#, "from 1 to 1"),
            (#"{rules: [{id: "a", metric: "heart-rate", severity: "warning", take: "deviation", days: 2, above: 3}]}"#, "at least 3 days"),
        ])
    func mistakes(text: String, words: String) {
        #expect(problems(text).contains { $0.hasPrefix("r.json5:") && $0.contains(words) }, "\(problems(text))")
    }

    @Test("an inhibiting rule of a file that is not there is a warning, a misspelt one of a file that is there a mistake")
    func otherFiles() throws {
        func file(_ name: String, _ rules: String) -> RuleFile {
            RuleFile(name: "\(name).json5", text: "{name: \"\(name)\", rules: [\(rules)]}")
        }
        let low = #"{id: "low", metric: "heart-rate", severity: "warning", below: 40, inhibitedBy: ["ward/fast"]}"#
        let fast = #"{id: "fast", metric: "heart-rate", severity: "critical", above: 150}"#
        let alone = try RuleSetReader.read([file("own", low)])
        #expect(
            alone.warnings.map(\.description) == [
                #"own.json5:1:103: no file named "ward" is loaded: its rule "fast" keeps nothing quiet here"#
            ])
        #expect(alone.rules[0].inhibitors.isEmpty)
        let both = try RuleSetReader.read([file("own", low), file("ward", fast)])
        #expect(both.warnings.isEmpty && both.rules[0].inhibitors == [1])
        let wrong = #expect(throws: RuleError.self) {
            try RuleSetReader.read([file("own", low.replacing("ward/fast", with: "ward/fsat")), file("ward", fast)])
        }
        #expect(wrong?.description == #"own.json5:1:103: the file named "ward" has no rule "fsat"; did you mean "fast"?"#)
        #expect(throws: RuleError.self) { try RuleSetReader.read([file("own", low.replacing("ward/fast", with: "fast"))]) }
    }

    @Test("says every mistake of a file, not just the first")
    func all() {
        let found = problems(#"{rules: [{id: "a", metric: "hart-rate", severity: "bad", above: "x", latch: 1}]}"#)
        #expect(found.count == 4, "\(found)")
    }
}
