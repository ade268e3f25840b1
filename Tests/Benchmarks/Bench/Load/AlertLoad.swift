import AlertRules
import SuiteHarness

/// 10,000 participants with 10 rules each, and readings of them.
struct AlertLoad {
    static let participants = 10_000
    static let start: Int64 = 1_700_000_000_000_000

    /// Ten rules over five metrics: limits with delays and dead bands, two severities, latches, silence.
    static let rules = """
        {rules: [
        \((0..<8).map { place in
            """
            {id: "limit-\(place)", metric: "x-\(place % 4)", for: "10s", keepFiringFor: "5s", latch: \(place % 2 == 0),
             levels: [{severity: "warning", above: 90, clear: 85}, {severity: "critical", above: 97, clear: 95, for: "2s"}]}
            """
        }.joined(separator: ",")),
        {id: "silent", kind: "technical", metric: "x-4", severity: "notice", noData: "5m"},
        {id: "both", severity: "warning", when: {all: [{metric: "x-0", above: 90}, {metric: "x-4", above: 90}]}}]}
        """

    var engine: AlertEngine
    private var metrics: [Int] = []
    private var time = AlertLoad.start

    init() throws {
        engine = AlertEngine(rules: try RuleSetReader.read([RuleFile(name: "bench", text: Self.rules)]), now: Self.start)
        for place in 0..<Self.participants { _ = engine.place(of: "participant-\(place)") }
        metrics = (0..<5).compactMap { engine.rules.metric(named: "x-\($0)") }
    }

    /// One reading of each metric of everybody, a second later than the last; returns how many readings and events that was.
    mutating func round() -> (readings: Int, events: Int) {
        time += 1_000_000
        var output = EngineOutput()
        var events = 0
        for place in 0..<Self.participants {
            let readings = metrics.enumerated().map { number, metric in
                // Spread over 0…99, so that a tenth lies beyond the limits, for stretches of some seconds.
                let value = Double((place * 7919 + number * 104_729 + Int(time / 4_000_000) * 31) % 100)
                return Reading(metric: metric, time: time, received: time, value: value)
            }
            engine.take(readings, of: place, now: time, into: &output)
            events += output.events.count
            output = EngineOutput()
        }
        engine.advance(to: time, now: time, into: &output)
        return (Self.participants * metrics.count, events + output.events.count)
    }
}
