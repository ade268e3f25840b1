import Foundation
import MessageBus
import Observability
import SensorIngest
import ServiceKit
import Synchronization
import TestSupport
import Timeline
import TimelineStore
import VigilSchema

/// Ingest and a timeline at a real broker, within the test's process: devices, outbox on disk, store, receipts.
struct IngestRig: Sendable {
    let server: MosquittoServer
    let folder: TemporaryFolder
    let store: SQLiteStore
    let mappings: MappingSet
    let settings: @Sendable (inout DevicePolicy) -> Void

    init(
        _ server: MosquittoServer? = nil, mappings: MappingSet = MappingSet(),
        settings: @Sendable @escaping (inout DevicePolicy) -> Void = { _ in }
    ) async throws {
        if let server { self.server = server } else { self.server = try await .start() }
        folder = try TemporaryFolder("vigil-ingest")
        store = SQLiteStore(path: folder.path("timeline.sqlite"))
        self.mappings = mappings
        self.settings = settings
    }

    private static let confirmations = "vigil/v1/receipts/vigil-ingest/main"

    /// Runs both while `body` runs. What `publisher` makes of the connection's publisher is what ingest publishes its batches with.
    func run<Value: Sendable>(
        publisher wrap: @escaping @Sendable (any MessagePublisher) -> any MessagePublisher = { $0 },
        waitsUntilReady: Bool = true, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let outbox = try await Outbox(path: folder.path("outbox.sqlite"))
        let stamps = ArrivalStamps(pending: try await outbox.stamps())
        let events = EventLog()
        let topics = [Topic.Filter.ingest] + mappings.filters
        let devices = consumer("devices", topics.map { Subscription($0, retainHandling: .never) }) { event in
            if case .acknowledgementsSent = event { stamps.acknowledged() }
            if case .connected(let info) = event {
                stamps.connected(keepingSession: info.sessionPresent, reusesNumbers: info.version != .v5)
            }
            events.note(event)
        }
        let confirmations = consumer("confirmations", [Subscription(Self.confirmations)]) { _ in }
        let observations = consumer("timeline", [Subscription(Topic.Filter.observations)]) { _ in }
        let bus = Publisher(configuration: PublisherConfiguration(broker: server.configuration(clientID: "rig-publisher")))
        let metrics = MetricsRegistry(), log = Logger(service: "test", level: .error, sink: { _ in })
        let replies = ReplyPublisher(bus)
        let delivery = Delivery(
            publisher: wrap(bus), replies: replies, outbox: outbox, stamps: stamps, confirmations: Self.confirmations,
            metrics: OutboxMetrics(metrics))
        let policy: @Sendable () -> IngestPolicy = {
            var devices = DevicePolicy()
            settings(&devices)
            return IngestPolicy(devices: devices)
        }
        let pipeline = IngestPipeline(
            batches: devices.batches, delivery: delivery,
            reader: MessageReader(
                normaliser: Normaliser(acceptsUnknownMetrics: true), mappings: MappingRules(mappings), deferred: outbox.deferred),
            metrics: IngestMetrics(metrics), log: log,
            policy: policy, stamps: stamps, now: { .now })
        let reader = ConfirmationReader(
            batches: confirmations.batches, outbox: outbox, replies: replies, metrics: OutboxMetrics(metrics), log: log, now: { .now })
        let deferring = DeferredPublisher(outbox: outbox, publisher: bus, log: log, now: { .now })
        let writer = TimelineWriter(
            batches: observations.batches, store: store, replies: replies, metrics: TimelineMetrics(metrics), log: log, now: { .now })
        return try await withThrowingTaskGroup(of: Value?.self) { tasks in
            defer { tasks.cancelAll() }
            for consumer in [observations, confirmations, devices] {
                tasks.addTask {
                    try await consumer.run(); return nil
                }
            }
            tasks.addTask {
                try await bus.run(); return nil
            }
            tasks.addTask {
                try await writer.run(); return nil
            }
            tasks.addTask {
                try await reader.run(); return nil
            }
            tasks.addTask {
                try await pipeline.run(); return nil
            }
            tasks.addTask {
                try await deferring.run(); return nil
            }
            tasks.addTask {
                // With messages waiting, the subscription goes out after the first batch is settled.
                if waitsUntilReady { try await events.waitUntilReady() }
                return try await body()
            }
            while let ended = try await tasks.next() { if let ended { return ended } }
            throw NeverHappened(description: "the test's body returned nothing")
        }
    }

    private func consumer(
        _ name: String, _ subscriptions: [Subscription], onEvent: @escaping @Sendable (BusEvent) -> Void
    ) -> Consumer {
        let broker = server.configuration(clientID: "rig-\(name)", session: .persistent(expiry: .seconds(3600)))
        return Consumer(configuration: ConsumerConfiguration(broker: broker, subscriptions: subscriptions), onEvent: onEvent)
    }

    /// The rows of a participant's metric.
    func rows(_ participant: String, _ metric: String) async throws -> Int {
        try await store.readings(
            participant: participant, metric: metric, from: Timestamp(seconds: 0), to: Timestamp.now.advanced(bySeconds: 86_400),
            limit: 100_000
        ).readings.count
    }
}

/// A publisher that hands on and then, for what a test says, never comes back or fails: a process that dies behind its publish.
final class DyingPublisher: MessagePublisher {
    private let publisher: any MessagePublisher
    private let handed = Atomic(0)
    private let error: BusError?

    /// - Parameter error: Thrown after each batch; nil to hang instead.
    init(_ publisher: any MessagePublisher, error: BusError? = nil) {
        self.publisher = publisher
        self.error = error
    }

    /// Messages that were handed on.
    var count: Int { handed.load(ordering: .relaxed) }

    func publish(_ message: OutgoingMessage) async throws(BusError) {
        try await publisher.publish(message)
        handed.add(1, ordering: .relaxed)
        if let error { throw error }
        try? await Task.sleep(for: .seconds(3600))
        throw BusError(.cancelled, during: .publish)
    }
}
