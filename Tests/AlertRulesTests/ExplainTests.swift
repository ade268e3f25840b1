import Testing

@testable import AlertRules

@Suite("The answer to why an alert is as it is")
struct ExplainTests {
    private static func lines(_ rules: String, _ steps: String, then second: Int64) throws -> [String] {
        var harness = try EngineHarness(rules.hasPrefix("{rules") ? rules : "{rules: [{id: \"a\", metric: \"heart-rate\", \(rules)}]}")
        try harness.play(steps)
        harness.advance(to: second)
        let index = try #require(harness.engine.rules.rules.lastIndex { $0.id != "no-rules-apply" })
        return harness.engine.explain(participant: harness.participant, rule: index)
    }

    private static let two =
        #"staleAfter: "1m", levels: [{severity: "warning", above: 110}, {severity: "critical", above: 130.5, for: "1m"}]"#

    @Test("names levels, readings, their age and their limits")
    func levels() throws {
        #expect(
            try Self.lines(Self.two, "", then: 10) == [
                "a for 12: none", "level warning: idle, condition unknown", "  heart-rate: no reading yet",
                "level critical: idle, condition unknown",
                "  heart-rate: no reading yet",
            ])
        #expect(
            try Self.lines(Self.two, "0 140.256", then: 20) == [
                "a for 12: active", "severity warning, priority medium", "not acknowledged", "level warning: firing, condition yes",
                "  heart-rate: 140.26 20s ago, limit 110: yes", "level critical: pending, condition yes, fires in 40s if it stays so",
                "  heart-rate: 140.26 20s ago, limit 130.5: yes",
            ])
        #expect(
            try Self.lines(Self.two, "0 120; 5 ack; 10 silence 300", then: 61) == [
                "a for 12: active", "severity warning, priority medium", "acknowledged by nurse",
                "no usable data any more: kept, because silence never ends a medical alert", "silenced by nurse: r",
                "level warning: firing, condition unknown", "  heart-rate: 120 1m1s ago, limit 110: unknown",
                "level critical: idle, condition unknown", "  heart-rate: 120 1m1s ago, limit 130.5: unknown",
            ])
    }

    @Test("says what was ended by hand, and for how long it stays quiet")
    func cleared() throws {
        #expect(
            try Self.lines(#"severity: "warning", above: 110"#, "0 120; 10 clear 100", then: 40).prefix(2) == [
                "a for 12: none", "ended by hand: what is not worse stays quiet for 1m more, or until it has ended once",
            ])
    }

    @Test("says that a latched alert is over")
    func latched() throws {
        #expect(
            try Self.lines(#"severity: "warning", above: 110, latch: true"#, "0 120; 1 100", then: 2).dropFirst(3) == [
                "the condition has ended; latched until acknowledged", "level warning: idle, condition no",
                "  heart-rate: 100 1s ago, limit 110: no",
            ])
    }

    @Test("says for whom the rule is not")
    func excluded() throws {
        #expect(
            try Self.lines(#"severity: "warning", above: 110, ages: ["child"]"#, "", then: 0).dropFirst().first
                == "the rule is not for this participant (age, profile, or named participants)")
    }

    @Test("names texts, both limits, other alerts, and what keeps it quiet")
    func others() throws {
        let rules = """
            {rules: [{id: "one", metric: "x-one", severity: "warning", above: 1},
              {id: "two", severity: "warning", inhibitedBy: ["one"], any: [{metric: "x-two", outside: [2, 4]}, {metric: "x-text", oneOf: ["red", "blue"]},
                {alert: "one"}]}]}
            """
        #expect(
            try Self.lines(rules, "0 x-one 2; 0 x-two 3; 0 x-text blue", then: 1).dropFirst(3) == [
                "kept quiet by another rule's active alert", "level warning: firing, condition yes", "  x-two: 3 1s ago, limit 2 and 4: no",
                "  x-text: \"blue\" 1s ago, compared with red, blue: yes", "  alert one: active",
            ])
        #expect(
            try Self.lines(rules, "0 x-text green", then: 1).dropFirst(1) == [
                "level warning: idle, condition unknown", "  x-two: no reading yet",
                "  x-text: \"another text\" 1s ago, compared with red, blue: no", "  alert one: not active",
            ])
    }

    @Test("says after what time a silence alarms, and whether it is missed")
    func silence() throws {
        let rule = #"kind: "technical", severity: "notice", noData: "1m""#
        #expect(try Self.lines(rule, "0 70", then: 30).last == "  heart-rate: last reading 30s ago, alarm after 1m: no")
        #expect(try Self.lines(rule, "0 70", then: 90).last == "  heart-rate: last reading 1m30s ago, alarm after 1m: yes")
        #expect(try Self.lines(rule, "0 70; 30 70; 60 70", then: 90).last == "  heart-rate: last reading 30s ago, alarm after 1m30s: no")
        #expect(
            try Self.lines(rule + #", afterContinuous: "5m""#, "0 70", then: 90).last
                == "  heart-rate: last reading 1m30s ago, not missed: it never ran for long")
    }

    @Test("thresholds of somebody's own are listed with their rule and level")
    func own() throws {
        var harness = try EngineHarness(
            """
            {rules: [{id: "a", metric: "heart-rate", levels: [{severity: "warning", above: 110}, {severity: "critical", above: 130}]},
              {id: "b", metric: "oxygen-saturation", severity: "warning", below: 90}]}
            """)
        #expect(harness.engine.ownThresholds(of: harness.participant).isEmpty)
        try harness.play("0 set 92 warning")
        try harness.command(.setThreshold(.critical, 140), rule: "a", reason: "r")
        #expect(
            harness.engine.ownThresholds(of: harness.participant).map { "\($0.rule) \($0.severity) \($0.value)" }
                == ["a critical 140.0", "b warning 92.0"])
        #expect(harness.engine.facts(ofParticipant: harness.participant) == PersonFacts())
    }
}
