import Foundation
import MessageBus
import SuiteHarness
import Synchronization
import TestSupport
import VigilSchema

/// From publishing a reading to receiving its alert, while 5,000 other readings a second are judged; milliseconds.
struct AlertLatency: Benchmark {
    let share: LatencyShare
    var name: String { "alert-latency-\(share.suffix)" }
    let unit = "ms"
    var goal: Goal { .atMost(share == .median ? 5 : 25) }
    let repeats = 1
    private static let probes = 500

    func product(_ bench: Workbench) async throws -> Double {
        let folder = try bench.freshFolder()
        let rules = try folder.write(
            #"{rules: [{id: "high", metric: "heart-rate", severity: "critical", above: 110, lateness: "1s"}]}"#, to: "rules.json5")
        let service = try SuiteService(
            "vigil-alert", settings: ["--rules", rules, "--instance", bench.freshName("latency")], brokerPort: bench.broker.port,
            folder: folder)
        try await service.start()
        let arrivals = AlertArrivals()
        let name = bench.freshName("latency")
        let consumer = Consumer(
            configuration: ConsumerConfiguration(
                broker: bench.broker.configuration(clientID: "\(name)-in"), subscriptions: [Subscription(Topic.Filter.alertEvents)]))
        let publisher = Publisher(configuration: PublisherConfiguration(broker: bench.broker.configuration(clientID: "\(name)-out")))
        let delays = try await withRunning(consumer) { consumer in
            try await withRunning({ try await arrivals.collect(consumer.batches) }, stop: { consumer.drain() }) {
                try await withRunning(publisher) { try await Self.probe($0, arrivals) }
            }
        }
        try await service.stop()
        let sorted = delays.sorted()
        Output.note("\(sorted.count) of \(Self.probes) alerts; slowest \(Table.number(sorted.last ?? .nan)) ms")
        return sorted.count == Self.probes ? share.of(sorted) : .nan
    }

    /// Every 10 ms 50 readings of others in one batch and, in every second step, one that raises an alert.
    private static func probe(_ publisher: Publisher, _ arrivals: AlertArrivals) async throws -> [Double] {
        let clock = ContinuousClock()
        var next = clock.now
        for step in 0..<probes * 2 {
            next += .milliseconds(10)
            try await clock.sleep(until: next)
            try await publisher.publish(batch((0..<50).map { ("other-\((step * 50 + $0) % 10_000)", 70.0) }))
            guard step % 2 == 0 else { continue }
            arrivals.sent("probe-\(step / 2)")
            try await publisher.publish(batch([("probe-\(step / 2)", 120)]))
        }
        try await eventually(within: .seconds(20), "all alerts") { arrivals.delays.count == probes }
        return arrivals.delays
    }

    private static func batch(_ values: [(participant: String, value: Double)]) -> OutgoingMessage {
        let now = Timestamp(seconds: Date().timeIntervalSince1970)
        let groups = values.map { entry in
            ObservationGroup(
                participant: entry.participant, source: "bench", received: now,
                observations: [Observation(metric: "heart-rate", time: now, content: .value(entry.value), unit: "/min")])
        }
        let batch = ObservationBatch(id: ULID.make(at: now), groups: groups)
        return OutgoingMessage(
            topic: Topic.readings(Partition(participant: values[0].participant)).path, payload: BatchEncoder.encode(batch))
    }
}

/// When probes were sent and their alerts received.
private final class AlertArrivals: Sendable {
    private struct State {
        var sent: [String: Int64] = [:]
        var delays: [Double] = []
    }

    private let state = Mutex(State())

    /// Milliseconds.
    var delays: [Double] { state.withLock { $0.delays } }

    func sent(_ participant: String) { state.withLock { $0.sent[participant] = MonotonicTime.now } }

    func collect(_ batches: MessageBatches) async throws {
        for try await batch in batches {
            let now = MonotonicTime.now
            for message in batch.messages {
                let participant = message.topic.split(separator: "/").dropLast().last.map(String.init) ?? ""
                state.withLock { state in
                    guard let sent = state.sent.removeValue(forKey: participant) else { return }
                    state.delays.append(Double(now - sent) / 1e6)
                }
            }
            batch.settle(.committed)
        }
    }
}
