import AlertRules
import Testing

@Suite("Acknowledgements")
struct AcknowledgementTests {
    private static let saturation = """
        {rules: [{id: "low", metric: "oxygen-saturation", lateness: "2s", escalate: [{after: "10m", to: "physician"}],
          levels: [{severity: "warning", below: 90, clear: 92}, {severity: "critical", below: 85, clear: 87}]}]}
        """

    @Test("give way to a worsening by a margin within the level, once, and not to what lies within it; over a restart too")
    func worsening() throws {
        var engine = try EngineHarness(Self.saturation)
        try engine.read("oxygen-saturation", 84, at: 0)
        try engine.command(.acknowledge, rule: "low")
        #expect(engine.happened() == ["raised critical", "acknowledged critical"])
        for (index, value) in [82, 80, 84, 80.0].enumerated() { try engine.read("oxygen-saturation", value, at: 10 + Int64(index)) }
        #expect(engine.happened() == [])
        try engine.restart()
        try engine.read("oxygen-saturation", 79, at: 20)
        try engine.read("oxygen-saturation", 60, at: 25)
        #expect(engine.events.map(\.alert.isAcknowledged) == [false])
        #expect(engine.happened() == ["worsened critical"])
        // It escalates anew, from then on.
        for second in stride(from: Int64(30), through: 620, by: 10) { try engine.read("oxygen-saturation", 60, at: second) }
        #expect(engine.happened() == ["escalated critical"])
    }

    @Test("of a critical alert end after an hour, of a warning with the alert, and after what the rule says")
    func end() throws {
        func course(_ member: String, _ value: Double) throws -> [String] {
            var engine = try EngineHarness(Self.saturation.replacing("id: \"low\",", with: "id: \"low\", \(member)"))
            try engine.read("oxygen-saturation", value, at: 0)
            try engine.command(.acknowledge, rule: "low")
            for minute in Int64(1)...150 { try engine.read("oxygen-saturation", value, at: minute * 60) }
            return engine.log.filter { !$0.hasPrefix("escalated") }.dropFirst(2).map {
                $0.replacing(String(EngineHarness.start + 3600), with: "1h").replacing(String(EngineHarness.start + 1800), with: "30m")
            }
        }
        #expect(try course("", 80) == ["reminded 1h"])
        #expect(try course("", 88) == [])
        #expect(try course(#"acknowledgement: {endsAfter: "30m"},"#, 88) == ["reminded 30m"])
        #expect(try course(#"acknowledgement: {endsAfter: "0s"},"#, 80) == [])
    }

    @Test("name their margin where the rule says one, in a level or for all")
    func margin() throws {
        var engine = try EngineHarness(
            """
            {rules: [{id: "low", metric: "blood-glucose", acknowledgement: {worsensBy: 20}, levels: [{severity: "warning", below: 70},
              {severity: "critical", below: 54, acknowledgement: {worsensBy: 4}}]}]}
            """)
        try engine.read("blood-glucose", 50, at: 0)
        try engine.command(.acknowledge, rule: "low")
        try engine.read("blood-glucose", 47, at: 60)
        #expect(engine.happened() == ["raised critical", "acknowledged critical"])
        try engine.read("blood-glucose", 46, at: 120)
        #expect(engine.happened() == ["worsened critical"])
    }
}

@Suite("Silences of all rules")
struct SilenceOfAllTests {
    private static let rules = """
        {rules: [{id: "apnoea", metric: "respiration-rate", severity: "critical", below: 5},
          {id: "high", metric: "heart-rate", levels: [{severity: "warning", above: 110}, {severity: "critical", above: 150}]},
          {id: "hot", metric: "body-temperature", severity: "critical", above: 40}]}
        """

    @Test("without a severity hide what is active and nothing else above a warning")
    func limited() throws {
        let set = try RuleSetReader.read([RuleFile(name: "r", text: Self.rules)])
        var (engine, output) = (AlertEngine(rules: set, now: 0), EngineOutput())
        let index = engine.index(of: "12")
        let metric = try #require(set.metric(named: "body-temperature"))
        engine.take([Reading(metric: metric, time: 0, received: 0, value: 41)], of: index, now: 0, into: &output)
        func limit(_ rule: String, _ severity: Severity?) throws -> AlertCommand? {
            let request = AlertRequest(command: .silence(until: 5, upTo: severity), actor: "a", time: 0)
            return engine.limited(request, ofAll: index, rule: try #require(set.rule(named: rule)))?.command
        }
        #expect(try limit("apnoea", nil) == nil)
        #expect(try limit("high", nil) == .silence(until: 5, upTo: .warning))
        #expect(try limit("hot", nil) == .silence(until: 5, upTo: nil))
        #expect(try limit("apnoea", .critical) == .silence(until: 5, upTo: .critical))
        let other = AlertRequest(command: .acknowledge, actor: "a", time: 0)
        #expect(engine.limited(other, ofAll: nil, rule: 0) == other)
    }
}
