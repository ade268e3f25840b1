import AlertRules
import Testing

/// Drives an engine with one participant in whole seconds, as a test reads.
struct EngineHarness {
    static let start: Int64 = 1_700_000_000
    private(set) var engine: AlertEngine
    private(set) var events: [AlertEvent] = []
    /// The transitions that were told, and their times: `raised 12`.
    private(set) var log: [String] = []
    private var transitions: [String] = []
    private(set) var derived: [DerivedValue] = []
    var now = EngineHarness.start
    /// By how much the machine's wall clock has leapt.
    var leap: Int64 = 0
    let participant: Int

    init(_ rules: String) throws {
        engine = AlertEngine(
            rules: try RuleSetReader.read([RuleFile(name: "test.json5", text: rules)]), now: EngineHarness.start * 1_000_000)
        participant = engine.index(of: "12")
    }

    /// A reading measured `after` seconds after the start, received and judged at the same time unless said otherwise.
    mutating func read(_ metric: String, _ value: Double, at after: Int64, received: Int64? = nil, from source: String? = nil) throws {
        let arrival = EngineHarness.start + (received ?? after)
        advance(to: max(now, arrival) - EngineHarness.start)
        let index = try #require(engine.rules.metric(named: metric))
        var output = EngineOutput()
        let reading = Reading(
            metric: index, time: (EngineHarness.start + after) * 1_000_000, received: arrival * 1_000_000, value: value,
            source: source.map(Reading.source) ?? 0)
        engine.take([reading], of: participant, now: now * 1_000_000, into: &output)
        take(output)
    }

    /// Lets time pass, a second a step, as the service does.
    mutating func advance(to after: Int64) {
        while now < EngineHarness.start + after {
            now += 1
            tick(to: now)
        }
    }

    private mutating func tick(to next: Int64) {
        now = next
        var output = EngineOutput()
        engine.advance(to: now * 1_000_000, now: (now + leap) * 1_000_000, into: &output)
        take(output)
    }

    /// Nobody looks for so long, as while the process was down.
    mutating func pause(_ seconds: Int64) {
        now += seconds
        var output = EngineOutput()
        engine.skip(to: now * 1_000_000, now: (now + leap) * 1_000_000, into: &output)
        take(output)
    }

    mutating func command(
        _ command: AlertCommand, rule: String, actor: String = "nurse", reason: String? = nil, seen: SeenAlert = SeenAlert()
    ) throws {
        let index = try #require(engine.rules.rule(named: rule))
        var output = EngineOutput()
        try engine.apply(
            AlertRequest(command: command, actor: actor, reason: reason, time: now * 1_000_000, seen: seen), to: participant, rule: index,
            now: now * 1_000_000, into: &output)
        take(output)
    }

    /// As after a crash: the state written, a new engine made and the state read.
    mutating func restart() throws {
        let (clock, state) = (engine.encodedClock, engine.encoded(participant: participant))
        var next = AlertEngine(rules: engine.rules, now: now * 1_000_000)
        try next.restore(clock: clock)
        try next.restore(participant: "12", at: participant, state)
        next.rescheduleAll()
        engine = next
    }

    /// Other rules from now on.
    mutating func adopt(_ rules: String) throws {
        let next = try RuleSetReader.read([RuleFile(name: "test.json5", text: rules)])
        var output = EngineOutput()
        engine.retire(for: next, now: now * 1_000_000, into: &output)
        take(output)
        engine.adopt(next)
    }

    /// Returns what was told since the last call: `rule transition cause`.
    mutating func causes() -> [String] {
        defer { transitions = [] }
        return transitions
    }

    /// Returns what happened since the last call: `transition severity`.
    mutating func happened() -> [String] {
        defer { events = [] }
        return events.map { "\($0.transition.rawValue) \($0.alert.severity.name)" }
    }

    mutating func takeDerived() -> [DerivedValue] {
        defer { derived = [] }
        return derived
    }

    func time(_ event: AlertEvent) -> Int64 { event.time / 1_000_000 - EngineHarness.start }

    private mutating func take(_ output: EngineOutput) {
        events += output.events
        transitions += output.events.map { "\(engine.rules.rules[$0.rule].id) \($0.transition.rawValue) \($0.cause.rawValue)" }
        log += output.events.map { "\($0.transition.rawValue) \(now)" }
        derived += output.derived
    }
}
