import SignalSynthesis
import Testing
import VigilSchema

@testable import AlertRules

@Suite("Files of rule tests")
struct RuleTestFileTests {
    /// 2026-01-05T00:00:00Z.
    private static let start: Int64 = 1_767_571_200_000_000
    private static let second: Int64 = 1_000_000

    private static func read(_ members: String, _ more: String = "") throws -> RuleTestFile {
        try RuleTestReader.read(RuleFile(name: "/rules/tests/t.json5", text: "{\(more) tests: [{name: \"n\", \(members)}]}"))
    }

    private static let reading = #"readings: [{metric: "heart-rate", at: "1s", value: 5}], expect: []"#

    @Test("readings are one, many, in turns, texts, and may come later")
    func readings() throws {
        func times(_ reading: String) throws -> [String] {
            try Self.read("readings: [{metric: \"heart-rate\", \(reading)}], expect: []").tests[0].readings.map {
                let value =
                    if case .text(let text) = $0.value { text } else if case .number(let number) = $0.value {
                        AlertTexts.number(number)
                    } else { "" }
                return "\($0.participant) \(($0.time - Self.start) / Self.second) \(($0.received - Self.start) / Self.second) \(value)"
            }
        }
        #expect(try times(#"at: "10s", value: 70.5"#) == ["person 10 10 70.5"])
        #expect(try times(#"at: "10s", text: "alert", received: "20s", participant: "x""#) == ["x 10 20 alert"])
        #expect(try times(#"at: "10s", value: 1, received: "5s""#) == ["person 10 10 1"], "never before it was measured")
        #expect(try times(#"from: "0s", to: "20s", every: "10s", values: [1, 2]"#) == ["person 0 0 1", "person 10 10 2", "person 20 20 1"])
        #expect(try times(#"from: "5s", to: "5s", every: "1s", value: 3"#) == ["person 5 5 3"])
        #expect(try times(#"from: "0s", to: "19s", every: "10s", value: 3"#).count == 2)
    }

    @Test("a test has its defaults where it says no more")
    func defaults() throws {
        let test = try Self.read(Self.reading).tests[0]
        #expect(test.name == "n" && test.start == Self.start && test.after == 600 * Self.second && test.also.isEmpty && test.only.isEmpty)
        #expect(test.commands.isEmpty && test.recordings.isEmpty && test.stored == nil && test.expected.isEmpty)
        #expect(try Self.read(Self.reading, "rules: [\"a.json5\", \"/b.json5\"],").rules == ["/rules/tests/a.json5", "/b.json5"])
    }

    @Test("a test's members are what the file says")
    func members() throws {
        let test = try Self.read(
            """
            start: "2026-01-05T01:00:10+01:00", after: "5s", also: ["pending"], only: ["a"], recordings: ["r.csv"], participant: "p",
              readings: [{metric: "heart-rate", at: "1s", value: 5}],
              commands: [{at: "2s", command: "silence", rule: "a", actor: "x", reason: "y", duration: "1m", severity: "warning"},
                {at: "3s", command: "set-threshold", value: 7.5},
                {at: "3s", command: "set-profile", profile: {born: 5, pregnant: true, saturationScale: 2, height: 170}}],
              store: {participant: "q", from: "2026-01-05T00:00:00Z", to: "2026-01-05T00:00:30Z"},
              expect: [{rule: "a", transition: "raised", severity: "warning", at: "1m", within: "5s"}, {rule: "a", transition: "cleared"}]
            """
        ).tests[0]
        let start = Self.start + 10 * Self.second
        #expect(test.start == start && test.after == 5 * Self.second && test.also == ["pending"] && test.only == ["a"])
        #expect(test.recordings == ["/rules/tests/r.csv"] && test.readings.map(\.time) == [start + Self.second])
        #expect(test.stored == .init(participant: "q", from: Self.start, to: Self.start + 30 * Self.second))
        #expect(
            test.commands.map { ($0.time - start) / Self.second } == [2, 3, 3] && test.commands.map(\.rule) == ["a", "all", "all"])
        let (silence, profile) = (test.commands[0].message, test.commands[2].message)
        #expect(test.commands.map(\.message.value) == [nil, 7.5, nil])
        #expect(silence.command == "silence" && silence.actor == "x" && silence.reason == "y" && silence.duration == "1m")
        #expect(silence.severity == "warning" && profile.actor == "test" && test.commands[2].participant == "p")
        #expect(profile.profile == .init(born: 5, pregnant: true, saturationScale: 2, height: 170))
        #expect(test.expected.map(\.severity) == ["warning", nil] && test.expected.map(\.at) == [60 * Self.second, nil])
        #expect(test.expected.map(\.within) == [5 * Self.second, Self.second])
        // What is stored begins where its range does.
        let stored = try Self.read(#"store: {participant: "q", from: "2026-01-05T00:00:07Z", to: "2026-01-05T00:00:30Z"}, expect: []"#)
            .tests[0]
        #expect(stored.start == Self.start + 7 * Self.second)
        #expect(try Self.read(#"recordings: ["r.csv"], expect: []"#).tests[0].start == nil)
    }

    @Test(
        "is refused with the place",
        arguments: [
            (#"expect: []"#, #"1:11: nothing is played"#), (#"readings: [], expect: []"#, "1:11: nothing is played"),
            (#"readings: [{metric: "heart-rate", at: "1s", value: 5}]"#, #"1:11: "expect" is missing"#),
            (#"readings: [{metric: "heart-rate", at: "1s"}], expect: []"#, #"1:34: a reading needs "value", "values" or "text""#),
            (#"readings: [{metric: "heart-rate", value: 1}], expect: []"#, #"1:34: "at" is missing"#),
            (#"readings: [{at: "1s", value: 1}], expect: []"#, #"1:34: "metric" is missing"#),
            (#"readings: [{metric: "x", to: "1s", every: "1s", value: 1}], expect: []"#, #"1:34: "from" is missing"#),
            (
                #"readings: [{metric: "x", from: "2s", to: "1s", every: "1s", value: 1}], expect: []"#,
                #"1:34: "from", "to" and "every" must make 1 to 1000000 readings"#
            ),
            (#"readings: [{metric: "x", from: "0s", to: "1s", every: "0s", value: 1}], expect: []"#, "must make 1 to 1000000 readings"),
            (#"readings: [{metric: "x", from: "0s", to: "1000s", every: "1ms", value: 1}], expect: []"#, "must make 1 to 1000000 readings"),
            (reading + #", also: ["raised"]"#, #"1:11: "raised" is compared anyway, or no transition"#),
            (reading + #", start: "monday""#, #""start" must be a time such as 2026-01-05T22:00:00+01:00"#),
            (reading + #", commands: [{command: "clear"}]"#, #""at" is missing"#), (reading + ", x: 1", #""x" is not known here"#),
            (reading.replacing("[]", with: #"[{transition: "raised"}]"#), #""rule" is missing"#),
            (reading.replacing("[]", with: #"[{rule: "a", transition: "rised"}]"#), #"did you mean "raised"?"#),
            (#"store: {participant: "q", from: "2026-01-05T00:00:00Z"}, expect: []"#, #""to" is missing"#),
            (reading + #", commands: [{at: "1s"}]"#, #""command" is missing"#),
            (reading.replacing("[]", with: #"[{rule: "a"}]"#), #""transition" is missing"#),
            (#"readings: [{metric: "x", at: "1s", values: [1, "2"]}], expect: []"#, #""values" lists numbers"#),
            (reading.replacing("value: 5", with: "value: 5, x: 1"), #""x" is not known here"#),
            (reading.replacing("[]", with: #"[{rule: "a", transition: "raised", x: 1}]"#), #""x" is not known here"#),
            (reading + #", commands: [{at: "1s", command: "clear", x: 1}]"#, #""x" is not known here"#),
            (reading + #", commands: [{at: "1s", command: "set-profile", profile: {x: 1}}]"#, #""x" is not known here"#),
            (
                #"store: {participant: "q", from: "2026-01-05T00:00:00Z", to: "2026-01-05T00:00:01Z", x: 1}, expect: []"#,
                #""x" is not known here"#
            ),
        ])
    func refused(members: String, words: String) {
        let error = #expect(throws: RuleError.self) { try Self.read(members) }
        #expect(error?.description.contains("is not known here") == words.contains("is not known here"), "\(String(describing: error))")
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }

    @Test(
        "a file has tests and nothing unknown, and each of them a name",
        arguments: [
            ("{}", #"1:1: "tests" is missing"#), ("{tests: [], x: 1}", #"1:13: "x" is not known here"#),
            ("{tests: [{\(reading)}]}", #"1:10: "name" is missing"#),
        ])
    func files(text: String, words: String) {
        let error = #expect(throws: RuleError.self) { try RuleTestReader.read(RuleFile(name: "t", text: text)) }
        #expect(error?.entries.count == 1 && error?.description.contains(words) == true, "\(String(describing: error))")
    }

    private static func message(_ rule: String, _ transition: String, at second: Double, severity: String = "warning") -> AlertMessage {
        AlertMessage(
            participant: "p", rule: rule, sequence: 1, transition: transition, cause: "reading", time: second, decided: second,
            state: "active",
            severity: severity, priority: "medium", kind: "medical", group: "g", since: second)
    }

    private static func lines(_ expected: [RuleTest.Expected], _ events: [AlertMessage], change: (inout RuleTest) -> Void = { _ in })
        -> [String]
    {
        var test = RuleTest(name: "n")
        test.expected = expected
        change(&test)
        return RuleTestResult(test, events, start: 100 * second).lines.map {
            switch $0 {
            case .same(let text): "= \(text)"
            case .missing(let text): "- \(text)"
            case .unexpected(let text): "+ \(text)"
            }
        }
    }

    private static func expected(_ rule: String, _ transition: String, _ severity: String? = nil, at second: Int64? = nil)
        -> RuleTest.Expected
    {
        RuleTest.Expected(
            rule: rule, transition: transition, severity: severity, at: second.map { $0 * Self.second }, within: 2 * Self.second)
    }

    @Test("what was expected and what happened are compared in order, with as few differences as there can be")
    func comparison() {
        let happened = [
            Self.message("a", "raised", at: 110), Self.message("b", "raised", at: 120), Self.message("a", "cleared", at: 130.5),
        ]
        #expect(Self.lines([], []) == [])
        #expect(
            Self.lines([Self.expected("a", "raised"), Self.expected("a", "cleared", "warning", at: 30)], happened)
                == ["= 10s  a  raised  warning", "+ 20s  b  raised  warning", "= 30s500ms  a  cleared  warning"])
        #expect(
            Self.lines(
                [Self.expected("c", "raised", at: 5), Self.expected("a", "raised", "critical"), Self.expected("a", "cleared")], happened)
                == [
                    "- 5s  c  raised", "- any time  a  raised  critical", "+ 10s  a  raised  warning", "+ 20s  b  raised  warning",
                    "= 30s500ms  a  cleared  warning",
                ])
        #expect(
            Self.lines([Self.expected("a", "cleared"), Self.expected("a", "raised")], Array(happened.prefix(1))) == [
                "- any time  a  cleared", "= 10s  a  raised  warning",
            ])
        #expect(Self.lines([], [Self.message("a", "raised", at: 95)]) == ["+ -5s  a  raised  warning"])
    }

    /// The most that stand in both in the same order.
    private static func common(_ one: ArraySlice<String>, _ other: ArraySlice<String>) -> Int {
        guard let first = one.first else { return 0 }
        let without = common(one.dropFirst(), other)
        guard let index = other.firstIndex(of: first) else { return without }
        return max(without, 1 + common(one.dropFirst(), other[(index + 1)...]))
    }

    @Test(
        "whatever was expected and whatever happened, each stands in the comparison, in its order and with no more differences than needed")
    func fewest() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<500 {
            let (wanted, happened) = (Self.rules(&random), Self.rules(&random))
            let lines = Self.lines(
                wanted.map { Self.expected($0, "raised") }, happened.enumerated().map { Self.message($1, "raised", at: 100 + Double($0)) })
            func rules(_ marks: String) -> [String] {
                lines.filter { marks.contains($0.prefix(1)) }.map { String($0.dropLast("  raised  warning".count).suffix(1)) }
            }
            let missing = lines.filter { $0.hasPrefix("-") }.map { String($0.dropLast("  raised".count).suffix(1)) }
            #expect(rules("=+") == happened && lines.count == wanted.count + happened.count - Self.common(wanted[...], happened[...]))
            #expect((rules("=") + missing).sorted() == wanted.sorted(), "\(wanted) \(happened) \(lines)")
        }
    }

    private static func rules(_ random: inout SeededGenerator) -> [String] {
        (0..<Int.random(in: 0...6, using: &random)).map { _ in ["a", "b", "c"].randomElement(using: &random) ?? "" }
    }

    @Test(
        "times may differ by what is permitted, either way",
        arguments: [(7.9, false), (8, true), (12, true), (12.1, false)] as [(Double, Bool)])
    func times(at second: Double, isSame: Bool) {
        let lines = Self.lines([Self.expected("a", "raised", at: 10)], [Self.message("a", "raised", at: 100 + second)])
        #expect((lines.count == 1) == isSame && lines.allSatisfy { $0.hasPrefix("=") == isSame })
    }

    @Test("minor transitions are compared where one is expected or asked for, and rules where they are looked at")
    func minor() {
        let events = ["pending", "cancelled", "data-lost", "data-back", "threshold-changed", "profile-changed"].map {
            Self.message("a", $0, at: 100)
        }
        #expect(Self.lines([], events) == [])
        #expect(Self.lines([], events) { $0.also = ["data-lost"] } == ["+ 0s  a  data-lost  warning"])
        #expect(Self.lines([Self.expected("a", "pending")], events) == ["= 0s  a  pending  warning"])
        let raised = [Self.message("a", "raised", at: 100), Self.message("b", "raised", at: 100)]
        #expect(Self.lines([], raised) { $0.only = ["b"] } == ["+ 0s  b  raised  warning"])
    }
}
