import Testing
import VigilSchema

@testable import AlertRules

@Suite("An alert's words")
struct AlertTextsTests {
    private static let rules = """
        {rules: [{id: "high", metric: "heart-rate", title: {en: "Pulse high", fr: "Pouls haut"}, severity: "warning", above: 110, for: "30s",
          message: {en: "{title}: {value} {unit} for {duration}", fr: "{title} depuis {duration}"}}]}
        """

    @Test("give every time in seconds, since 1970")
    func times() throws {
        var harness = try EngineHarness(Self.rules)
        for second in stride(from: Int64(0), through: 40, by: 5) { try harness.read("heart-rate", 120, at: second) }
        let start = Double(EngineHarness.start)
        let message = { (event: AlertEvent) in
            AlertMessage(event, harness.engine.rules, participant: "12", decided: event.time + 2_500_000)
        }
        let raised = message(try #require(harness.events.last))
        #expect([raised.time, raised.decided, raised.since] == [start + 30, start + 32.5, start])
        let end = { (seconds: Int64) in (EngineHarness.start + seconds) * 1_000_000 }
        try harness.command(.silence(until: end(640), upTo: nil), rule: "high", reason: "r")
        #expect(message(try #require(harness.events.last)).silencedUntil == start + 640)
        try harness.command(.clear(until: end(400)), rule: "high", reason: "r")
        #expect(message(try #require(harness.events.last)).clearedUntil == start + 400)
    }

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

    @Test(
        "tell a duration by its two largest parts",
        arguments: [
            (0, "0 s"), (59, "59 s"), (60, "1 min"), (61, "1 min 1 s"), (3600, "1 h"), (3661, "1 h 1 min"), (86_399, "23 h 59 min"),
            (86_400, "1 d"),
            (90_061, "1 d 1 h"), (86_401, "1 d 1 s"),
        ])
    func words(_ seconds: Int64, _ words: String) {
        #expect(AlertTexts.words(seconds * 1_000_000 + 999_999, "en") == words)
    }
}
