import AlertRules
import Testing

@Suite("Alerts that keep others quiet")
struct InhibitionTests {
    private static let rules = """
        {rules: [
          {id: "heart", metric: "heart-rate", severity: "warning", below: 41, clear: 45, staleAfter: "1m"},
          {id: "breath", metric: "respiration-rate", severity: "warning", above: 30, inhibitedBy: ["heart"], staleAfter: "10h"},
          {id: "slow", metric: "heart-rate", severity: "notice", below: 50, inhibitedBy: ["heart"], staleAfter: "10h"},
        ]}
        """

    /// Whether an alert about another vital sign that begins at 100 s is kept quiet.
    private func isQuiet(_ prepare: (inout EngineHarness) throws -> Void) throws -> Bool {
        var engine = try EngineHarness(Self.rules)
        try engine.read("heart-rate", 38, at: 0)
        try prepare(&engine)
        _ = engine.happened()
        try engine.read("respiration-rate", 35, at: 100)
        let raised = try #require(engine.events.first { $0.transition == .raised })
        return raised.alert.isInhibited
    }

    @Test("of another vital sign do so while their limit is exceeded and nobody has answered")
    func others() throws {
        #expect(try isQuiet { try $0.read("heart-rate", 39, at: 90) })
        #expect(try !isQuiet { try $0.read("heart-rate", 43, at: 90) }, "only its dead band")
        #expect(try !isQuiet { _ in }, "its data are lost")
        #expect(
            try !isQuiet {
                try $0.read("heart-rate", 39, at: 90)
                try $0.command(.acknowledge, rule: "heart")
            }, "it was answered before")
        #expect(
            try !isQuiet {
                try $0.read("heart-rate", 39, at: 90)
                try $0.command(.silence(until: ($0.now + 600) * 1_000_000, upTo: nil), rule: "heart", reason: "bath")
            }, "it is silenced")
    }

    @Test("go on doing so after the answer, and stop once their data are lost, also after a restart")
    func kept() throws {
        var engine = try EngineHarness(Self.rules)
        try engine.read("heart-rate", 38, at: 0)
        try engine.read("respiration-rate", 35, at: 1)
        _ = engine.happened()
        try engine.command(.acknowledge, rule: "heart")
        try engine.restart()
        try engine.read("heart-rate", 43, at: 50)
        #expect(engine.happened() == ["acknowledged warning"])
        engine.advance(to: 120)
        #expect(engine.happened() == ["data-lost warning", "uninhibited warning"])
    }

    @Test("of the same vital sign do so in their dead band too, and what they kept quiet stays so when the data end")
    func same() throws {
        var engine = try EngineHarness(Self.rules)
        try engine.read("heart-rate", 38, at: 0)
        try engine.command(.acknowledge, rule: "heart")
        try engine.read("heart-rate", 43, at: 10)
        engine.advance(to: 200)
        #expect(engine.happened() == ["raised warning", "raised notice", "acknowledged warning", "data-lost warning"])
    }
}
