import Testing

@testable import AlertRules

@Suite("Scores of a person's newest values")
struct ScoreTrackerTests {
    private static let start: Int64 = 1_700_000_000_000_000

    /// The categories said of blood pressures, each a metric and the time of measurement.
    private func categories(_ pressures: [(metric: String, value: Double, time: Int64)]) throws -> [DerivedValue.Content] {
        let rules = try RuleSetReader.read([RuleFile(name: "test.json5", text: "{scores: {bloodPressure: {}}, rules: []}")])
        var engine = AlertEngine(rules: rules, now: Self.start)
        let index = engine.index(of: "12")
        var output = EngineOutput()
        for pressure in pressures {
            let metric = try #require(engine.rules.metric(named: pressure.metric))
            let reading = Reading(metric: metric, time: pressure.time, received: Self.start, value: pressure.value)
            engine.take([reading], of: index, now: Self.start, into: &output)
        }
        return output.derived.map(\.content)
    }

    @Test("names a blood pressure once both of its values came of one time, whatever a device's clock says", arguments: [start, 0, -1])
    func together(time: Int64) throws {
        let pressures = [("diastolic-pressure", 70.0, time), ("systolic-pressure", 125.0, time + 1_000_000)]
        #expect(try categories(pressures) == [.text("elevated")])
    }

    @Test("names no blood pressure of one value, or of two that are over a minute apart", arguments: [start, 0])
    func apart(time: Int64) throws {
        let diastolic = ("diastolic-pressure", 70.0, time)
        #expect(try categories([diastolic]).isEmpty)
        #expect(try categories([("systolic-pressure", 125.0, time)]).isEmpty)
        #expect(try categories([diastolic, ("systolic-pressure", 125.0, time + 61_000_000)]).isEmpty)
    }

    @Test("a reading of a clock that is ahead stands in the way of nothing that comes after")
    func ahead() throws {
        var engine = try EngineHarness(#"{scores: {news2: {}, glucose: true}, rules: []}"#)
        try engine.read("heart-rate", 70, at: 7200, received: 0)
        try engine.read("heart-rate", 140, at: 60)
        #expect(engine.takeDerived().last { $0.metric == "news2-highest-parameter" }?.content == .number(3))
        for minute in Int64(2)..<14 { try engine.read("blood-glucose", 100, at: minute * 60) }
        try engine.read("blood-glucose", 300, at: 4 * 3600, received: 15 * 60)
        #expect(!engine.takeDerived().contains { $0.metric == "glucose-time-in-range" }, "no hour has begun")
        try engine.read("blood-glucose", 100, at: 3700)
        let share = engine.takeDerived().last { $0.metric == "glucose-time-in-range" }
        #expect(share?.content == .number(12 / 13 * 100) && share?.time == (EngineHarness.start + 3700) * 1_000_000)
    }
}
