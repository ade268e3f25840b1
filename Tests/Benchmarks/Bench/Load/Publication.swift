import AlertRules
import SuiteHarness
import TestSupport
import TimelineStore
import VigilSchema

/// A load of numbered messages.
struct Publication: Sendable {
    enum Format: String, Sendable {
        /// Canonical batches, as `vigil-ingest` publishes them.
        case batch
        /// A message as a device sends it.
        case device
        /// Canonical blocks of an electrocardiogram.
        case block
        /// The same as a device sends them.
        case deviceBlock = "device-block"
        /// Single readings as collectd's mqtt plugin takes them, as long as canonical ones.
        case collectd
    }

    var format = Format.batch
    var readings = NumberedReadings(base: 1_700_000_000)
    var messages: Int
    var perMessage = 1
    /// Unacknowledged messages at most.
    var window = 1000
    /// Messages a second; 0 for as fast as the window allows.
    var rate = 0
    /// Flags of `vigil-limits publish` beyond these.
    var extra: [String] = []

    /// Begins to publish.
    func start(port: UInt16, in folder: TemporaryFolder) throws -> LimitProgram {
        let flags = [
            "--port", "\(port)", "--format", format.rawValue, "--count", "\(messages)", "--per-message", "\(perMessage)",
            "--window", "\(window)", "--rate", "\(rate)",
        ]
        return try LimitProgram("publish", flags + readings.flags + extra, in: folder)
    }

    /// The number of readings that is.
    var count: Int { messages * perMessage }
}

/// The numbered readings as the store is given them, for measuring it without a bus.
struct ScalarLoad: Sendable {
    let readings = NumberedReadings(base: 1_700_000_000)
    var count = 1_000_000
    var perAppend = 10_000

    /// Appends all of them; gives how many a second.
    func run(_ store: any TimelineStore) async throws -> Double {
        try await store.open()
        var elapsed = Duration.zero
        for first in stride(from: 0, to: count, by: perAppend) {
            let batches = [batch(first)]
            elapsed += try await ContinuousClock().measure {
                let stored = try await store.append(batches)[0].stored
                guard stored == perAppend else { throw HarnessError("stored \(stored) of \(perAppend)") }
            }
        }
        await store.close()
        return Double(count) / elapsed.seconds
    }

    /// A group a participant, as ingest makes them.
    private func batch(_ first: Int) -> ObservationBatch {
        var groups = (0..<readings.participants).map { person in
            ObservationGroup(
                participant: readings.name(of: person), source: "bench/1", received: Timestamp(seconds: Double(readings.base)),
                observations: [])
        }
        let kinds = NumberedReadings.metrics
        for number in first..<first + perAppend {
            let row = number / readings.participants
            let observation = Observation(
                metric: kinds[row % kinds.count], time: Timestamp(seconds: Double(readings.base + Int64(row / kinds.count))),
                content: .value(readings.value(number)), unit: Self.units[row % kinds.count])
            groups[number % readings.participants].observations.append(observation)
        }
        return ObservationBatch(id: "01HF0000000000000000000000", groups: groups.filter { !$0.observations.isEmpty })
    }

    private static let units = ["/min", "/min", "%", "Cel"]
}

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
        for place in 0..<Self.participants { _ = engine.index(of: "participant-\(place)") }
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
