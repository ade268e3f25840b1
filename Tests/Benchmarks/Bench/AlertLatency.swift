import Foundation
import MessageBus
import SuiteHarness
import Synchronization
import TestSupport
import VigilSchema

/// From publishing a device's reading to receiving its alert, through the broker, `vigil-ingest` and `vigil-alert`, while devices send 5,000 other
/// readings a second, each a message of its own, at a fixed rate whatever becomes of them; milliseconds.
struct AlertLatency: Benchmark {
    let share: LatencyShare
    var name: String { "alert-latency-\(share.suffix)" }
    let unit = "ms"
    var goal: Goal { .atMost(share == .median ? 5 : 25) }
    let repeats = 3
    private static let rate = 5000
    private static let seconds = 24
    private static let probes = 1000
    private static let rules = """
        {rules: [
        \([("heart-rate", 110), ("respiration-rate", 60), ("oxygen-saturation", 99.9), ("skin-temperature", 44)].map {
            "{id: \"high-\($0.0)\", metric: \"\($0.0)\", severity: \"critical\", above: \($0.1), lateness: \"1s\"}"
        }.joined(separator: ","))]}
        """

    func product(_ bench: Workbench) async throws -> Double {
        let folder = try bench.freshFolder()
        let broker = try await MosquittoServer.start()
        let rules = try folder.write(Self.rules, to: "rules.json5")
        let services = [
            try SuiteService("vigil-ingest", brokerPort: broker.port, folder: folder),
            try SuiteService("vigil-alert", settings: ["--rules", rules], brokerPort: broker.port, folder: folder),
        ]
        for service in services { try await service.start() }
        let readings = NumberedReadings(base: Int64(Date().timeIntervalSince1970), participants: Self.rate / NumberedReadings.metrics.count)
        let load = Publication(format: .device, readings: readings, messages: Self.rate * Self.seconds, window: 5000, rate: Self.rate)
        let publisher = try load.start(port: broker.port, in: folder)
        let delays = try await Self.probe(broker)
        _ = try await publisher.result()
        for service in services.reversed() { try await service.stop() }
        let slowest = delays.sorted { $0.value > $1.value }.prefix(5).map { "\($0.key) \(Table.number($0.value))" }
        Output.note("\(delays.count) of \(Self.probes) alerts; the slowest, in ms: \(slowest.joined(separator: ", "))")
        return delays.count == Self.probes ? share.of(Array(delays.values)) : .nan
    }

    /// After two seconds of load a probe every 20 ms: the first reading of somebody, who is to be told of at once.
    private static func probe(_ broker: MosquittoServer) async throws -> [String: Double] {
        let arrivals = AlertArrivals()
        let consumer = Consumer(
            configuration: ConsumerConfiguration(
                broker: broker.configuration(clientID: "arrivals"), subscriptions: [Subscription(Topic.Filter.alertEvents)]))
        let publisher = Publisher(configuration: PublisherConfiguration(broker: broker.configuration(clientID: "probes")))
        return try await withRunning(consumer) { consumer in
            try await withRunning({ try await arrivals.collect(consumer.batches) }, stop: { consumer.drain() }) {
                try await withRunning(publisher) { publisher in
                    try await send(publisher, arrivals)
                    try await eventually(within: .seconds(20), "all alerts") { arrivals.delays.count == probes }
                    return arrivals.delays
                }
            }
        }
    }

    /// At a fixed rate: the time counts from when a probe was due, so that a stall does not hide those that it kept from being sent.
    private static func send(_ publisher: Publisher, _ arrivals: AlertArrivals) async throws {
        let clock = ContinuousClock()
        let start = (instant: clock.now, time: MonotonicTime.now)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for number in 0..<probes {
                let after = 2000 + number * 20
                try await clock.sleep(until: start.instant + .milliseconds(after))
                arrivals.sent("probe-\(number)", at: start.time + Int64(after) * 1_000_000)
                let payload = #"{"metric":"heart-rate","time":\#(Date().timeIntervalSince1970),"value":120,"unit":"/min"}"#
                let topic = Topic.ingest(participant: "probe-\(number)", device: "1").path
                tasks.addTask { try await publisher.publish(OutgoingMessage(topic: topic, payload: Array(payload.utf8))) }
            }
            try await tasks.waitForAll()
        }
    }
}

/// The times at which probes were sent and their alerts received.
private final class AlertArrivals: Sendable {
    private struct State {
        var sent: [String: Int64] = [:]
        var delays: [String: Double] = [:]
    }

    private let state = Mutex(State())

    /// Milliseconds, by probe.
    var delays: [String: Double] { state.withLock { $0.delays } }

    func sent(_ participant: String, at time: Int64) { state.withLock { $0.sent[participant] = time } }

    func collect(_ batches: MessageBatches) async throws {
        for try await batch in batches {
            let now = MonotonicTime.now
            for message in batch.messages {
                let participant = message.topic.split(separator: "/").dropLast().last.map(String.init) ?? ""
                state.withLock { state in
                    guard let sent = state.sent.removeValue(forKey: participant) else { return }
                    state.delays[participant] = Double(now - sent) / 1e6
                }
            }
            batch.settle(.committed)
        }
    }
}
