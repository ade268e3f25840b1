import Testing

@testable import AlertRules

@Suite("Rules about events")
struct EventTests {
    private static let rule = """
        {rules: [{id: "help", metric: "help-call", severity: "critical", atLeast: 1, lasts: "2m", maximumAge: "1h", lateness: "10s"}]}
        """

    @Test("an event is told, is over after its time, and another is told again")
    func twice() throws {
        var engine = try EngineHarness(Self.rule)
        try engine.read("help-call", 1, at: 5)
        engine.advance(to: 400)
        try engine.read("help-call", 1, at: 500)
        engine.advance(to: 900)
        #expect(engine.happened() == ["raised critical", "cleared critical", "raised critical", "cleared critical"])
    }

    @Test("events that are delivered again are not told again, also over a restart and a change of other rules")
    func repeated() throws {
        var engine = try EngineHarness(Self.rule)
        for time in Int64(0)..<3 { try engine.read("help-call", 1, at: time * 200, received: time * 200) }
        engine.advance(to: 700)
        _ = engine.happened()
        for round in Int64(1)...3 {
            for time in Int64(0)..<3 { try engine.read("help-call", 1, at: time * 200, received: 700 * round) }
            engine.advance(to: 700 * round + 300)
            try engine.restart()
            try engine.adopt(Self.rule.replacing("]}", with: #", {id: "other", metric: "heart-rate", severity: "notice", above: 100}]}"#))
        }
        #expect(engine.happened() == [])
        try engine.read("help-call", 1, at: 2500)
        #expect(engine.happened() == ["raised critical"])
    }

    @Test("an event of a clock that was set back is told")
    func setBack() throws {
        var engine = try EngineHarness(Self.rule)
        try engine.read("help-call", 1, at: 3600)
        engine.advance(to: 4000)
        _ = engine.happened()
        try engine.read("help-call", 1, at: 500, received: 4100)
        #expect(engine.happened() == ["raised critical"])
    }

    @Test("no more are remembered than eight")
    func bound() {
        var times = EventTimes()
        for time in Int64(0)..<20 { times.note(time) }
        #expect(times.times == Array(12..<20) && times.contains(19) && !times.contains(11))
    }
}
