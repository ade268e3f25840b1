import AlertRules
import Testing
import VigilSchema

@Suite("Late findings")
struct LateFindingTests {
    private static func rules(_ more: String = "") -> String {
        """
        {rules: [{id: "low", metric: "blood-glucose", \(more) levels: [{severity: "warning", below: 70},
          {severity: "critical", below: 54, for: "60s"}]}]}
        """
    }

    @Test("a critical reading that is too old to be the present is told as a finding of then, once an hour, and is no alert")
    func told() throws {
        var engine = try EngineHarness(Self.rules())
        try engine.read("blood-glucose", 40, at: 100, received: 100 + 4500)
        #expect(engine.events.map(\.transition) == [.foundLate])
        let event = try #require(engine.events.first)
        #expect(engine.time(event) == 100 && event.alert.value == 40 && event.alert.severity == .critical && event.alert.phase == .none)
        let message = AlertMessage(event, engine.engine.rules, participant: "12", decided: (EngineHarness.start + 4600) * 1_000_000)
        #expect(message.transition == "found-late" && !message.isAudible)
        #expect(message.message["en"]?.contains("1 h 15 min") == true)
        try engine.restart()
        try engine.read("blood-glucose", 41, at: 160, received: 4700)
        #expect(engine.events.count == 1)
        try engine.read("blood-glucose", 41, at: 4000, received: 8600)
        #expect(engine.events.count == 2)
    }

    @Test("what is not critical, or older than the rule tells, is none")
    func ignored() throws {
        var engine = try EngineHarness(Self.rules())
        try engine.read("blood-glucose", 60, at: 0, received: 4500)
        try engine.read("blood-glucose", 40, at: 100, received: 87_000)
        #expect(engine.events.isEmpty)
        engine = try EngineHarness(Self.rules(#"lateUntil: "2h","#))
        try engine.read("blood-glucose", 40, at: 0, received: 7300)
        #expect(engine.events.isEmpty)
    }
}
