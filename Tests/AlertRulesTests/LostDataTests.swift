import AlertRules
import Testing

@Suite("Alerts whose data were lost")
struct LostDataTests {
    private static let rules = """
        {rules: [{id: "high", metric: "heart-rate", staleAfter: "30s", keepFiringFor: "20s", escalate: [{after: "1m", to: "nurse"}],
          levels: [{severity: "warning", above: 110, clear: 100}, {severity: "critical", above: 150}]}]}
        """

    /// An alert that was raised, perhaps acknowledged, and lost its data.
    private func lost(acknowledged: Bool = true, _ rules: String = Self.rules) throws -> EngineHarness {
        var engine = try EngineHarness(rules)
        try engine.read("heart-rate", 120, at: 0)
        if acknowledged { try engine.command(.acknowledge, rule: "high") }
        engine.advance(to: 31)
        _ = engine.happened()
        return engine
    }

    @Test(
        "begin another episode when the data are back after more than a quarter of an hour, also after a restart", arguments: [false, true])
    func recurrence(acknowledged: Bool) throws {
        var engine = try lost(acknowledged: acknowledged)
        engine.advance(to: 500)
        try engine.restart()
        engine.advance(to: 931)
        _ = engine.happened()
        try engine.read("heart-rate", 121, at: 932)
        let event = try #require(engine.events.last)
        #expect(event.transition == .recurred && !event.alert.isAcknowledged && !event.alert.isDataLost)
        #expect(event.alert.since == event.time && engine.time(event) == 932)
        _ = engine.happened()
        try engine.read("heart-rate", 121, at: 960)
        try engine.read("heart-rate", 121, at: 985)
        engine.advance(to: 1000)
        #expect(engine.happened() == ["escalated warning"])
    }

    @Test("go on where only nobody looked for so long, whether they were lost before or meanwhile", arguments: [10, 100])
    func downtime(seconds: Int64) throws {
        var engine = try EngineHarness(Self.rules)
        try engine.read("heart-rate", 120, at: 0)
        try engine.command(.acknowledge, rule: "high")
        engine.advance(to: seconds)
        engine.pause(5000)
        _ = engine.happened()
        try engine.read("heart-rate", 121, at: seconds + 5800)
        #expect(engine.happened() == ["data-back warning"])
        engine.advance(to: seconds + 5850)
        try engine.read("heart-rate", 121, at: seconds + 6800)
        #expect(engine.happened() == ["data-lost warning", "recurred warning"])
    }

    @Test("go on when the data are back sooner")
    func sooner() throws {
        var engine = try lost()
        try engine.read("heart-rate", 121, at: 930)
        #expect(engine.happened() == ["data-back warning"])
    }

    @Test("end when the value is within the dead band by then, and are raised by the next that exceeds the limit")
    func deadBand() throws {
        var engine = try lost()
        try engine.read("heart-rate", 105, at: 2000)
        try engine.read("heart-rate", 111, at: 2001)
        #expect(engine.happened() == ["cleared warning", "raised warning"])
    }

    @Test("are told at once as what they are by then")
    func severity() throws {
        var engine = try lost()
        try engine.read("heart-rate", 160, at: 2000)
        #expect(engine.happened() == ["recurred critical"])
        try engine.command(.acknowledge, rule: "high")
        engine.advance(to: 2100)
        _ = engine.happened()
        try engine.read("heart-rate", 120, at: 4000)
        #expect(engine.happened() == ["recurred warning"])
    }

    @Test("are over when they are cleared by hand, and the next reading that exceeds the limit raises")
    func clear() throws {
        var engine = try lost()
        try engine.command(.clear(until: (engine.now + 600) * 1_000_000), rule: "high", reason: "gone home")
        engine.advance(to: 700)
        #expect(engine.happened() == ["cleared warning"])
        try engine.read("heart-rate", 115, at: 701)
        #expect(engine.happened() == ["raised warning"])
    }

    @Test("are not raised again by a value of long ago when the quiet after a clear ends")
    func clearEnd() throws {
        var engine = try EngineHarness(Self.rules)
        try engine.read("heart-rate", 120, at: 0)
        try engine.command(.clear(until: (engine.now + 100) * 1_000_000), rule: "high", reason: "seen")
        engine.advance(to: 10_000)
        #expect(engine.happened() == ["raised warning", "cleared warning", "clear-ended none"])
        try engine.read("heart-rate", 112, at: 10_001)
        #expect(engine.happened() == ["raised warning"])
    }
}
