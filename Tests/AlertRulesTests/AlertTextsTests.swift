import AlertRules
import Testing
import VigilSchema

@Suite("An alert's words")
struct AlertTextsTests {
    private static let rules = """
        {rules: [{id: "high", metric: "heart-rate", title: {en: "Pulse high", fr: "Pouls haut"}, severity: "warning", above: 110, for: "30s",
          message: {en: "{title}: {value} {unit} for {duration}", fr: "{title} depuis {duration}"}}]}
        """

    @Test("say for how long only once it is a second")
    func durations() throws {
        var harness = try EngineHarness(Self.rules)
        for second in stride(from: Int64(0), through: 40, by: 5) { try harness.read("heart-rate", 120, at: second) }
        #expect(harness.events.map(\.transition) == [.pending, .raised])
        let messages = harness.events.map { AlertMessage($0, harness.engine.rules, participant: "12", decided: $0.time).message }
        #expect(messages.first?["en"] == "Pulse high: 120 per minute (limit 110).")
        #expect(messages.last?["en"] == "Pulse high: 120 per minute for 30 s.")
        // A language in which there is no plain line keeps its own.
        #expect(messages.map { $0["fr"] } == ["Pouls haut depuis 0 s.", "Pouls haut depuis 30 s."])
    }
}
