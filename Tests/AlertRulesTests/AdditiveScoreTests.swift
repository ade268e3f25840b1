import JSON5
import Testing

@testable import AlertRules

/// Scores that rule files define themselves.
@Suite("Additive scores")
struct AdditiveScoreTests {
    private static let table = """
        {name: "sum", staleAfter: "1h", minimumInputs: 2, inputs: [
          {metric: "heart-rate", step: 1, underAge: [{years: 1, bands: [{atMost: 160, points: 0}, {points: 2}]}],
            bands: [{below: 50, points: 3}, {atMost: 100, points: 0}, {points: 1}]},
          {metric: "x-refill", bands: [{below: 3, points: 0}, {points: 4}]},
          {metric: "consciousness", texts: [{oneOf: ["alert"], points: 0}, {oneOf: ["sourceState"], points: 1}], other: 3}]}
        """

    private static func rules(_ scores: String, _ more: String = "") -> String {
        """
        {scores: {additive: [\(scores)]}, rules: [{id: "sum", metric: "x-sum", severity: "warning", atLeast: 4},
          {id: "one", metric: "x-sum-highest", severity: "notice", atLeast: 4}\(more)]}
        """
    }

    private static func problems(_ scores: String) -> [String] {
        do {
            _ = try RuleSetReader.read([RuleFile(name: "r", text: "{scores: {additive: [\(scores)]}, rules: []}")])
            return []
        } catch {
            return error.entries.map(\.problem.message)
        }
    }

    @Test("add the points of what is known, from enough inputs on, by age and at the edges of bands")
    func points() throws {
        let set = try RuleSetReader.read([RuleFile(name: "r", text: Self.rules(Self.table))])
        let score = try #require(set.scores.additive.first)
        let sourceState = set.code(ofText: "sourceState")
        for (age, rate, refill, text, total, highest) in [
            (30, 49.4, 2.9, sourceState, 4, 3), (30, 49.6, 2.9, sourceState, 1, 1), (30, 100.4, 3, sourceState, 5, 4),
            (30, 101, 3, -1, 8, 4),
            (0.5, 160, 1, sourceState, 1, 1), (0.5, 161, 1, -1, 5, 3), (nil, 160, 1, sourceState, 2, 1),
        ] as [(Double?, Double, Double, Double, Int, Int)] {
            let values = ["heart-rate": rate, "x-refill": refill, "consciousness": text]
            let result = score.result(age: age) { values[$0.metric] }
            #expect(result == .init(known: 3, total: total, highest: highest), "\(rate) \(refill) \(text)")
        }
        #expect(score.result(age: nil) { $0.metric == "x-refill" ? 5 : nil } == .init(known: 1, total: 4, highest: 4))
    }

    @Test("are derived once two inputs are known, raise by their sum and by a single input, and take nothing from outside")
    func course() throws {
        var harness = try EngineHarness(Self.rules(Self.table))
        try harness.read("x-sum", 9, at: 0)
        try harness.read("x-refill", 5, at: 1)
        #expect(harness.takeDerived().isEmpty && harness.log.isEmpty)
        try harness.read("heart-rate", 120, at: 2)
        #expect(harness.takeDerived().map(\.content) == [.number(5)])
        #expect(harness.happened() == ["raised warning", "raised notice"])
        try harness.read("heart-rate", 121, at: 3)
        #expect(harness.takeDerived().isEmpty, "the same score is published once")
    }

    @Test("keep what they know over a restart, and over other rules that have other inputs before theirs")
    func restart() throws {
        var harness = try EngineHarness(Self.rules(Self.table))
        try harness.read("x-refill", 5, at: 1)
        try harness.restart()
        let other = #"{name: "other", inputs: [{metric: "x-first", bands: [{points: 1}]}]}, "#
        try harness.adopt(Self.rules(other + Self.table))
        try harness.read("heart-rate", 120, at: 2)
        #expect(harness.takeDerived().map(\.content) == [.number(5)])
    }

    @Test("count their inputs as judged for those for whom they are, and for nobody else")
    func coverage() throws {
        let adults = Self.table.replacing("name: \"sum\",", with: "name: \"sum\", ages: [\"adult\"],")
        for (years, isTold) in [(40.0, false), (8, true)] {
            var harness = try EngineHarness(Self.rules(adults))
            var facts = PersonFacts()
            facts.born = EngineHarness.start * 1_000_000 - Int64(years * 31_556_952e6)
            try harness.command(.setProfile(facts), rule: "sum")
            try harness.read("heart-rate", 300, at: 1)
            #expect(harness.events.contains { harness.engine.rules.rules[$0.rule].id == "no-rules-apply" } == isTold, "\(years)")
        }
    }

    @Test(
        "refuse tables that leave values without points, or cannot be meant",
        arguments: [
            (#"bands: [{below: 5, points: 1}]"#, "the last of the bands has no limit, so that every value has points"),
            (
                #"bands: [{below: 5, points: 1}, {atMost: 4, points: 2}, {points: 0}]"#,
                "the limits of bands must rise, and only the last has none"
            ),
            (#"bands: [{below: 5, atMost: 6, points: 1}, {points: 0}]"#, "a band ends \"below\" or \"atMost\""),
            (#"step: 0, bands: [{points: 0}]"#, "\"step\" must be more than 0"),
            (#"texts: [{oneOf: ["a"], points: 1}], other: 0"#, "\"heart-rate\" is no text: write bands"),
            (#"bands: [{points: 0}], underAge: [{years: 2, bands: [{points: 0}]}, {years: 1, bands: [{points: 0}]}]"#, "ages must rise"),
            (#"bands: [{points: 0}]"#, nil),
        ] as [(String, String?)])
    func mistakes(input: String, problem: String?) {
        let found = Self.problems(#"{name: "a", inputs: [{metric: "heart-rate", \#(input)}]}"#)
        #expect(problem.map { found.contains($0) } ?? found.isEmpty, "\(found)")
    }

    @Test("refuse the same name twice, a name that is none, an input twice, and a metric that is not there")
    func names() {
        let one = #"{name: "a", inputs: [{metric: "heart-rate", bands: [{points: 0}]}]}"#
        #expect(Self.problems("\(one), \(one)") == ["there is another score \"a\""])
        #expect(Self.problems(one.replacing("\"a\"", with: "\"a b\"")).count == 1)
        #expect(
            Self.problems(#"{name: "a", inputs: [{metric: "x-b", bands: [{points: 0}]}, {metric: "x-b", bands: [{points: 0}]}]}"#) == [
                "an input stands there twice"
            ])
        #expect(Self.problems(one.replacing("heart-rate", with: "hart-rate")) == ["there is no metric \"hart-rate\""])
    }
}
