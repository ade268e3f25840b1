import AlertRules
import SignalSynthesis
import Testing

@Suite("Conditions over natural variability")
struct SustainedTests {
    /// Roughly normal.
    private static func noise(_ random: inout SeededGenerator) -> Double {
        (0..<12).reduce(-6) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
    }

    @Test("atrial fibrillation of 140±12 is told within ten minutes, once, and ends a share of the delay after it", arguments: 1...8)
    func fibrillation(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var engine = try EngineHarness(
            #"{rules: [{id: "high", metric: "heart-rate", severity: "warning", above: 130, clear: 125, for: "2m", share: 0.7}]}"#)
        for second in stride(from: Int64(0), to: 3600, by: 5) {
            try engine.read("heart-rate", (140 + 12 * Self.noise(&random)).rounded(), at: second)
        }
        let raised = engine.log.filter { $0.hasPrefix("raised") || $0.hasPrefix("cleared") }
        #expect(raised.count == 1, "\(engine.log)")
        let time = raised.first?.split(separator: " ").last.flatMap { Int64($0) } ?? .max
        #expect(time - EngineHarness.start <= 600)
        if seed == 1 { try engine.restart() }
        _ = engine.happened()
        for second in stride(from: Int64(3600), through: 3800, by: 5) { try engine.read("heart-rate", 80, at: second) }
        #expect(engine.happened() == ["cleared warning"])
    }

    @Test("NEWS2 about its limit for a day is raised at most twice", arguments: 1...3)
    func score(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var engine = try EngineHarness(
            """
            {scores: {news2: {}}, rules: [{id: "news2", metric: "news2-at-least", staleAfter: "13h",
              levels: [{severity: "warning", atLeast: 5, for: "30s"}, {severity: "critical", atLeast: 7, for: "30s"}]}]}
            """)
        for second in stride(from: Int64(0), to: 86_400, by: 20) {
            try engine.read("respiration-rate", (23 + 2 * Self.noise(&random)).rounded(), at: second)
            try engine.read("heart-rate", (108 + 4 * Self.noise(&random)).rounded(), at: second)
            try engine.read("oxygen-saturation", min(100, (94 + 0.8 * Self.noise(&random)).rounded()), at: second)
        }
        let raised = engine.log.filter { $0.hasPrefix("raised") }
        #expect((1...2).contains(raised.count), "\(raised)")
    }

    @Test("a repetition is met at the series' usual interval, where that is longer than its time, unless the rule says otherwise")
    func interval() throws {
        func course(_ more: String) throws -> [String] {
            var engine = try EngineHarness(
                """
                {rules: [{id: "crisis", severity: "critical", staleAfter: "12h", repeat: {count: 2, within: "30m"\(more)},
                  any: [{metric: "systolic-pressure", above: 180}, {metric: "diastolic-pressure", above: 120}]}]}
                """)
            for hour in Int64(0)..<6 {
                try engine.read("systolic-pressure", hour < 4 ? 130 : 210, at: hour * 3600)
                try engine.read("diastolic-pressure", hour < 4 ? 80 : 125, at: hour * 3600)
            }
            return engine.log
        }
        #expect(try course("") == ["raised \(EngineHarness.start + 5 * 3600)"])
        #expect(try course(", intervals: 0") == [])
    }

    @Test("NEWS2 takes only values that lie at most its spread apart, and time in range only those of the last day")
    func spread() throws {
        var engine = try EngineHarness(#"{scores: {news2: {spread: "1h"}, glucose: true}, rules: []}"#)
        try engine.read("respiration-rate", 25, at: 0)
        try engine.read("heart-rate", 135, at: 3000)
        try engine.read("heart-rate", 136, at: 3700)
        let scores = engine.takeDerived().filter { $0.metric == "news2-at-least" }.map(\.content)
        #expect(scores == [.number(3), .number(6), .number(3)])
        for minute in Int64(0)..<12 { try engine.read("blood-glucose", 250, at: 4000 + minute * 60) }
        _ = engine.takeDerived()
        try engine.read("blood-glucose", 100, at: 4000 + 4 * 86_400)
        #expect(engine.takeDerived().allSatisfy { $0.metric != "glucose-time-in-range" })
    }
}

@Suite("Advice on rules")
struct RuleAdviceTests {
    private static func codes(_ rule: String) throws -> [String] {
        RuleAdvice(try RuleSetReader.read([RuleFile(name: "r", text: "{rules: [\(rule)]}")])).warnings.filter { $0.rule != nil }
            .map(\.code.rawValue)
    }

    @Test("is given of limits without a dead band, of critical alarms that nobody else hears of, and of what cannot be met")
    func rules() throws {
        let sound =
            #"id: "a", metric: "systolic-pressure", escalate: [{after: "5m", to: "x"}], severity: "critical", above: 180, clear: 175"#
        #expect(try Self.codes("{\(sound)}") == [])
        #expect(try Self.codes("{\(sound.replacing(", clear: 175", with: ""))}") == ["no-dead-band"])
        #expect(try Self.codes("{\(sound.replacing(#"escalate: [{after: "5m", to: "x"}], "#, with: ""))}") == ["no-escalation"])
        #expect(try Self.codes(#"{\#(sound), repeat: {count: 2, within: "30m"}}"#) == [])
        #expect(try Self.codes(#"{\#(sound), repeat: {count: 2, within: "30m", intervals: 0}}"#) == ["unmeetable-repetition"])
        #expect(try Self.codes(#"{\#(sound), for: "2m"}"#) == ["restarting-delay"])
        #expect(try Self.codes(#"{\#(sound), for: "2m", share: 1}"#) == [])
    }

    @Test("names the metrics that no rule reads")
    func metrics() throws {
        let advice = RuleAdvice(
            try RuleSetReader.read([
                RuleFile(name: "r", text: #"{rules: [{id: "a", metric: "heart-rate", severity: "notice", above: 100}]}"#)
            ]
            ))
        let unread = advice.warnings.first { $0.code == .unreadMetrics }?.text ?? ""
        let names = unread.replacing("no rule reads ", with: "").split(separator: ", ")
        #expect(names.contains("oxygen-saturation"))
        #expect(!names.contains("heart-rate"))
    }
}
