import Testing

@testable import AlertRules

/// An answer to an alert counts for what whoever gave it saw.
@Suite("Answers to what was seen")
struct SeenAlertTests {
    private static let rules = """
        {rules: [{id: "high", metric: "heart-rate", staleAfter: "1h", escalate: [{after: "1m", to: "nurse"}],
          levels: [{severity: "warning", above: 110}, {severity: "critical", above: 130}]}]}
        """

    @Test(
        "a warning is answered, and not the critical alert that it has become",
        arguments: [AlertCommand.acknowledge, .clear(until: 1 << 60)])
    func worse(command: AlertCommand) throws {
        var engine = try EngineHarness(Self.rules)
        try engine.read("heart-rate", 120, at: 0)
        try engine.read("heart-rate", 140, at: 1)
        #expect(throws: AlertCommandError.isWorse(than: .warning, .critical)) {
            try engine.command(command, rule: "high", reason: "r", seen: SeenAlert(severity: .warning))
        }
        let alert = engine.engine.snapshot(participant: 0, rule: 0).alert
        #expect(alert.phase == .active && alert.severity == .critical && !alert.isAcknowledged)
        engine.advance(to: 60)
        #expect(engine.causes().last == "high escalated timer")
        let words = AlertCommandError.isWorse(than: .warning, .critical).description
        #expect(words == "the alert is critical by now, and the one that was seen was warning: look at it again")
    }

    @Test(
        "an answer to what there is, to what was worse, or that says nothing of it is carried out",
        arguments: [Severity.warning, .critical, nil], [AlertCommand.acknowledge, .clear(until: 1 << 60)])
    func present(seen: Severity?, command: AlertCommand) throws {
        var engine = try EngineHarness(Self.rules)
        try engine.read("heart-rate", 120, at: 0)
        try engine.command(command, rule: "high", reason: "r", seen: SeenAlert(severity: seen))
        #expect(engine.causes().last == (command == .acknowledge ? "high acknowledged command" : "high cleared command"))
    }

    @Test(
        "an answer of before the alert is one to another, unless a clock can be that wrong",
        arguments: [(-301, false), (-300, true), (0, true)])
    func another(second: Int64, isTaken: Bool) throws {
        var engine = try EngineHarness(Self.rules)
        try engine.read("heart-rate", 120, at: 0)
        engine.advance(to: 30)
        let seen = SeenAlert(time: (EngineHarness.start + second) * 1_000_000)
        if isTaken {
            try engine.command(.acknowledge, rule: "high", seen: seen)
        } else {
            #expect(throws: AlertCommandError.isAnother) { try engine.command(.acknowledge, rule: "high", seen: seen) }
            #expect(throws: AlertCommandError.isAnother) {
                try engine.command(.clear(until: 1 << 60), rule: "high", reason: "r", seen: seen)
            }
        }
        #expect(engine.engine.snapshot(participant: 0, rule: 0).alert.isAcknowledged == isTaken)
        #expect(AlertCommandError.isAnother.description == "this alert was raised after the command was given: look at it again")
    }

    @Test(
        "an answer by who was told at a moment of the suite's clock is none to what began a second later, a silence neither",
        arguments: [(-1, false), (0, true)])
    func exact(second: Int64, isTaken: Bool) throws {
        var engine = try EngineHarness(Self.rules)
        try engine.read("heart-rate", 120, at: 0)
        engine.advance(to: 30)
        let seen = SeenAlert(time: (EngineHarness.start + second) * 1_000_000, isExact: true)
        let silence = AlertCommand.silence(until: (EngineHarness.start + 600) * 1_000_000, upTo: nil)
        for command in [silence, .acknowledge] {
            if isTaken {
                try engine.command(command, rule: "high", reason: "r", seen: seen)
            } else {
                #expect(throws: AlertCommandError.isAnother) { try engine.command(command, rule: "high", reason: "r", seen: seen) }
            }
        }
        #expect(engine.engine.snapshot(participant: 0, rule: 0).alert.isAcknowledged == isTaken)
    }

    @Test("a command says what its sender saw, where it does")
    func message() throws {
        var message = CommandMessage(command: "acknowledge", actor: "nurse")
        let now = EngineHarness.start * 1_000_000
        #expect(try message.request(now: now).get().seen == SeenAlert())
        message.seen = Double(EngineHarness.start) - 7
        #expect(try message.request(now: now).get().seen == SeenAlert(time: now - 7_000_000, isExact: true))
        message.seen = nil
        (message.severity, message.time) = ("warning", Double(EngineHarness.start) - 5)
        #expect(try message.request(now: now).get().seen == SeenAlert(severity: .warning, time: now - 5_000_000))
    }
}
