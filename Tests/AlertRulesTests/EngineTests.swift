import AlertRules
import Testing

@Suite("Alert engine")
struct EngineTests {
    private static let simple = """
        {rules: [{id: "high", metric: "heart-rate", levels: [
          {severity: "warning", above: 110, clear: 105}, {severity: "critical", above: 130, clear: 125}]}]}
        """
    private static func rule(_ members: String) -> String {
        "{rules: [{id: \"high\", metric: \"heart-rate\", severity: \"warning\", above: 110, \(members)}]}"
    }

    @Test("raises, raises the severity, lowers it and clears, each once, with a dead band")
    func bands() throws {
        var engine = try EngineHarness(Self.simple)
        for (second, value) in [100, 111, 108, 131, 126, 124, 106, 105, 104].enumerated() {
            try engine.read("heart-rate", Double(value), at: Int64(second))
        }
        #expect(engine.happened() == ["raised warning", "severity-raised critical", "severity-lowered warning", "cleared warning"])
    }

    @Test("waits for the delay in event time, and begins anew when the condition was interrupted")
    func delay() throws {
        var engine = try EngineHarness(Self.rule(#"for: "10s""#))
        for second in 0...5 { try engine.read("heart-rate", 120, at: Int64(second)) }
        try engine.read("heart-rate", 100, at: 6)
        for second in 7...16 { try engine.read("heart-rate", 120, at: Int64(second)) }
        #expect(engine.happened() == ["pending warning", "cancelled none", "pending warning"])
        try engine.read("heart-rate", 120, at: 17)
        #expect(engine.happened() == ["raised warning"])
    }

    @Test("raises without further readings once the delay and the lateness are over")
    func safetyNet() throws {
        var engine = try EngineHarness(Self.rule(#"for: "20s", lateness: "5s""#))
        try engine.read("heart-rate", 120, at: 0)
        engine.advance(to: 24)
        #expect(engine.happened() == ["pending warning"])
        engine.advance(to: 25)
        #expect(engine.happened() == ["raised warning"])
    }

    @Test("lets a late reading interrupt a delay, but not decide anything else")
    func late() throws {
        var engine = try EngineHarness(Self.rule(#"for: "10s""#))
        for second in [0, 1, 2, 3, 8] { try engine.read("heart-rate", 120, at: Int64(second)) }
        try engine.read("heart-rate", 90, at: 5, received: 8)
        try engine.read("heart-rate", 120, at: 12)
        #expect(engine.happened() == ["pending warning"])
        try engine.read("heart-rate", 120, at: 15)
        #expect(engine.happened() == ["raised warning"])
        try engine.read("heart-rate", 90, at: 14, received: 15)
        #expect(engine.happened() == [])
    }

    @Test("tells a crossing that came behind newer readings, once, and that it is over")
    func lateCrossing() throws {
        var engine = try EngineHarness(Self.simple)
        for second in 0...3 { try engine.read("heart-rate", 90, at: Int64(second)) }
        // Twelve seconds that a lost node of the broker had, behind what came after them.
        for second in 16...20 { try engine.read("heart-rate", 90, at: Int64(second)) }
        for second in 4...15 { try engine.read("heart-rate", 140, at: Int64(second), received: 20) }
        let first = try #require(engine.events.first { $0.transition == .raised })
        #expect(engine.happened() == ["raised critical", "cleared critical"])
        #expect(first.alert.since == (EngineHarness.start + 10) * 1_000_000, "of the last ten seconds, which is what lateness allows")
        // What was told in order is not told again by another source that lags behind.
        try engine.read("heart-rate", 140, at: 21)
        try engine.read("heart-rate", 90, at: 23)
        try engine.read("heart-rate", 140, at: 22, received: 23)
        #expect(engine.happened() == ["raised critical", "cleared critical"])
    }

    @Test("leaves a late crossing to the delay, the repetition or the other metric that it would have had to wait for")
    func lateAndNotAtOnce() throws {
        for members in [#"for: "1s""#, #"repeat: {count: 2, within: "1m"}"#] {
            var engine = try EngineHarness(Self.rule(members))
            try engine.read("heart-rate", 90, at: 9)
            for second in 5...8 { try engine.read("heart-rate", 120, at: Int64(second), received: 9) }
            #expect(engine.happened() == [], "\(members)")
        }
    }

    @Test("keeps firing after the condition ended, and does not flicker meanwhile")
    func keepFiring() throws {
        var engine = try EngineHarness(Self.rule(#"keepFiringFor: "10s""#))
        try engine.read("heart-rate", 120, at: 0)
        try engine.read("heart-rate", 100, at: 1)
        try engine.read("heart-rate", 120, at: 5)
        try engine.read("heart-rate", 100, at: 6)
        try engine.read("heart-rate", 100, at: 15)
        #expect(engine.happened() == ["raised warning"])
        try engine.read("heart-rate", 100, at: 16)
        #expect(engine.happened() == ["cleared warning"])
    }

    @Test("asks for repetition within a window")
    func repetition() throws {
        var engine = try EngineHarness(Self.rule(#"repeat: {count: 3, within: "60s"}"#))
        for (second, value) in [(0, 120), (30, 120), (31, 90), (70, 120)] as [(Int64, Double)] {
            try engine.read("heart-rate", value, at: second)
        }
        #expect(engine.happened() == [])
        try engine.read("heart-rate", 120, at: 85)
        #expect(engine.happened() == ["raised warning"])
    }

    @Test("compares how much a value rose within a window")
    func rise() throws {
        var engine = try EngineHarness(
            #"{rules: [{id: "gain", metric: "body-weight", severity: "warning", take: "rise", over: "48h", above: 1.5, staleAfter: "7d"}]}"#
        )
        try engine.read("body-weight", 80, at: 0)
        try engine.read("body-weight", 80.9, at: 86_400)
        #expect(engine.happened() == [])
        try engine.read("body-weight", 81.6, at: 2 * 86_400)
        #expect(engine.happened() == ["raised warning"])
        try engine.read("body-weight", 81.7, at: 4 * 86_400)
        #expect(engine.happened() == ["cleared warning"])
    }

    @Test("never lets a silent sensor end a medical alert, but says that data is lost and back")
    func dataLoss() throws {
        var engine = try EngineHarness(Self.rule(#"staleAfter: "60s", keepFiringFor: "5s""#))
        try engine.read("heart-rate", 120, at: 0)
        engine.advance(to: 900)
        #expect(engine.happened() == ["raised warning", "data-lost warning"])
        try engine.read("heart-rate", 120, at: 901)
        #expect(engine.happened() == ["data-back warning"])
        try engine.read("heart-rate", 90, at: 902)
        engine.advance(to: 1000)
        #expect(engine.happened() == ["cleared warning"])
    }

    @Test("raises a technical alarm when readings stop, and clears it when they come back")
    func noData() throws {
        var engine = try EngineHarness(
            #"{rules: [{id: "silent", kind: "technical", metric: "heart-rate", severity: "notice", noData: "60s"}]}"#)
        try engine.read("heart-rate", 70, at: 0)
        engine.advance(to: 59)
        #expect(engine.happened() == [])
        engine.advance(to: 60)
        #expect(engine.happened() == ["raised notice"])
        try engine.read("heart-rate", 70, at: 100)
        #expect(engine.happened() == ["cleared notice"])
    }

    @Test("holds a latched alert until it is acknowledged")
    func latching() throws {
        var engine = try EngineHarness(Self.rule("latch: true"))
        try engine.read("heart-rate", 120, at: 0)
        try engine.read("heart-rate", 90, at: 1)
        try engine.read("heart-rate", 120, at: 2)
        try engine.read("heart-rate", 90, at: 3)
        #expect(engine.happened() == ["raised warning", "recovered warning", "recurred warning", "recovered warning"])
        try engine.command(.acknowledge, rule: "high")
        #expect(engine.happened() == ["acknowledged warning", "cleared warning"])
    }

    @Test("stays quiet after a clear by hand until the condition ended once, unless it becomes worse")
    func manualClear() throws {
        var engine = try EngineHarness(Self.simple)
        try engine.read("heart-rate", 120, at: 0)
        try engine.command(.clear(until: AlertCommand.asLongAsAllowed), rule: "high")
        try engine.read("heart-rate", 121, at: 1)
        #expect(engine.happened() == ["raised warning", "cleared warning"])
        try engine.read("heart-rate", 140, at: 2)
        #expect(engine.happened() == ["clear-ended none", "raised critical"])
        try engine.command(.clear(until: AlertCommand.asLongAsAllowed), rule: "high")
        try engine.read("heart-rate", 90, at: 3)
        try engine.read("heart-rate", 120, at: 4)
        #expect(engine.happened() == ["cleared critical", "clear-ended none", "raised warning"])
    }

    @Test("takes an acknowledgement back when the alert becomes worse than what was acknowledged")
    func acknowledgement() throws {
        var engine = try EngineHarness(Self.simple)
        try engine.read("heart-rate", 120, at: 0)
        try engine.command(.acknowledge, rule: "high", actor: "Dr. A")
        try engine.command(.acknowledge, rule: "high", actor: "Dr. A")
        #expect(engine.events.last?.actor == "Dr. A")
        #expect(engine.happened() == ["raised warning", "acknowledged warning"])
        try engine.read("heart-rate", 140, at: 1)
        #expect(engine.events.last?.alert.isAcknowledged == false)
    }

    @Test("hides with a silence what it was given for, never what is worse, and ends by itself")
    func silence() throws {
        var engine = try EngineHarness(Self.simple)
        try engine.read("heart-rate", 120, at: 0)
        try engine.command(.silence(until: (EngineHarness.start + 60) * 1_000_000, upTo: nil), rule: "high", reason: "bathing")
        #expect(engine.events.last?.alert.isSilenced == true)
        try engine.read("heart-rate", 140, at: 1)
        #expect(engine.events.last?.alert.isSilenced == false)
        engine.advance(to: 61)
        #expect(engine.happened() == ["raised warning", "silenced warning", "severity-raised critical", "silence-ended critical"])
    }

    @Test("says who takes a silence back and why, once, and is audible again")
    func unsilence() throws {
        var engine = try EngineHarness(Self.simple)
        try engine.read("heart-rate", 120, at: 0)
        try engine.command(.silence(until: (EngineHarness.start + 60) * 1_000_000, upTo: nil), rule: "high", reason: "bathing")
        try engine.command(.unsilence, rule: "high", actor: "Dr. A", reason: "out of the water")
        try engine.command(.unsilence, rule: "high", actor: "Dr. A")
        #expect(engine.events.last?.actor == "Dr. A" && engine.events.last?.reason == "out of the water")
        #expect(engine.events.last?.alert.isSilenced == false)
        engine.advance(to: 61)
        #expect(engine.happened() == ["raised warning", "silenced warning", "unsilenced warning"])
    }

    @Test("explains when a silence becomes an alarm, in the rule's own words for it")
    func silenceExplained() throws {
        var engine = try EngineHarness(
            #"{rules: [{id: "gone", kind: "technical", metric: "heart-rate", severity: "notice", noData: "2m"}]}"#)
        for second in stride(from: Int64(0), through: 600, by: 10) { try engine.read("heart-rate", 70, at: second) }
        let lines = engine.engine.explain(participant: engine.participant, rule: 0)
        #expect(lines.contains { $0.contains("alarm after 2m:") }, "\(lines)")
    }

    @Test("reckons each of several expressions with its own metrics")
    func expressions() throws {
        var engine = try EngineHarness(
            """
            {rules: [
                {id: "shock", severity: "warning", expression: "heart-rate / systolic-pressure", as: "shock-index", above: 0.9},
                {id: "breath", severity: "warning", expression: "respiration-rate / oxygen-saturation", as: "breath-index", above: 0.25},
            ]}
            """)
        try engine.read("heart-rate", 80, at: 0)
        try engine.read("systolic-pressure", 120, at: 1)
        try engine.read("respiration-rate", 24, at: 2)
        try engine.read("oxygen-saturation", 80, at: 3)
        #expect(engine.happened() == ["raised warning"])
        try engine.read("systolic-pressure", 70, at: 4)
        #expect(engine.happened() == ["raised warning"])
    }

    @Test("escalates while nobody acknowledges, and stops when somebody does")
    func escalation() throws {
        var engine = try EngineHarness(
            Self.rule(#"escalate: [{after: "1m", to: "nurse"}, {after: "3m", to: "doctor"}], staleAfter: "1h""#))
        try engine.read("heart-rate", 120, at: 0)
        engine.advance(to: 61)
        #expect(engine.events.last?.escalatedTo == "nurse")
        try engine.command(.acknowledge, rule: "high")
        engine.advance(to: 400)
        #expect(engine.happened() == ["raised warning", "escalated warning", "acknowledged warning"])
    }

    @Test("keeps an alert quiet while the rule that inhibits it is active")
    func inhibition() throws {
        var engine = try EngineHarness(
            """
            {rules: [
              {id: "off", metric: "ecg-quality", severity: "warning", below: 0.5},
              {id: "high", metric: "heart-rate", severity: "warning", above: 110, inhibitedBy: ["off"]}]}
            """)
        try engine.read("ecg-quality", 0.1, at: 0)
        try engine.read("heart-rate", 120, at: 1)
        #expect(engine.events.last?.alert.isInhibited == true)
        try engine.read("ecg-quality", 0.9, at: 2)
        #expect(engine.happened() == ["raised warning", "raised warning", "cleared warning", "uninhibited warning"])
    }

    @Test("joins conditions with all, any and not, and lets what is unknown decide nothing")
    func conditions() throws {
        var engine = try EngineHarness(
            """
            {rules: [{id: "shock", severity: "critical", when: {all: [
              {metric: "heart-rate", above: 100}, {any: [{metric: "systolic-pressure", below: 90}, {metric: "body-temperature", below: 35}]},
              {not: {metric: "consciousness", equals: "alert"}}]}}]}
            """)
        try engine.read("heart-rate", 120, at: 0)
        try engine.read("systolic-pressure", 80, at: 1)
        #expect(engine.happened() == [])
        try engine.read("consciousness", engine.engine.rules.code(ofText: "confusion"), at: 2)
        #expect(engine.happened() == ["raised critical"])
        try engine.read("consciousness", engine.engine.rules.code(ofText: "alert"), at: 3)
        #expect(engine.happened() == ["cleared critical"])
    }

    @Test("judges no reading of poor quality")
    func quality() throws {
        var engine = try EngineHarness(Self.rule(#"quality: {metric: "ecg-quality", atLeast: 0.5}"#))
        try engine.read("ecg-quality", 0.2, at: 0)
        try engine.read("heart-rate", 200, at: 1)
        #expect(engine.happened() == [])
        try engine.read("ecg-quality", 0.8, at: 2)
        try engine.read("heart-rate", 200, at: 3)
        #expect(engine.happened() == ["raised warning"])
    }

    @Test("raises only within the schedule of its time zone")
    func schedule() throws {
        // The start, 2023-11-14 22:13:20 UTC, is 23:13:20 in Berlin.
        var engine = try EngineHarness(Self.rule(#"schedule: {zone: "Europe/Berlin", from: "23:14", to: "07:00"}"#))
        try engine.read("heart-rate", 120, at: 30)
        #expect(engine.happened() == [])
        try engine.read("heart-rate", 120, at: 41)
        #expect(engine.happened() == ["raised warning"])
    }
}
