import Foundation
import MessageBus
import Observability
import ServiceKit
import TestSupport
import Testing
import VigilSchema

@testable import SensorIngest

/// The broker of a cluster gives every message the lowest number that is free: mostly 1.
@Suite(
    "Readings without a time at NATS", .enabled(if: NATSServer.Program.recent.path != nil, "nats-server is not installed"),
    .timeLimit(.minutes(2)))
struct StampsAtNATSTests {
    private static let topic = "vigil/v1/ingest/anna/watch"
    private static let line = Array(#"{"metric":"body-temperature","value":39.5}"#.utf8)

    private let server: NATSServer
    private let folder: TemporaryFolder
    private let bus = InMemoryPublisher()
    private let devices: Publisher

    init() async throws {
        server = try await NATSServer.start(.recent, acknowledgeWithin: "2s")[0]
        folder = try TemporaryFolder("vigil-nats-stamps")
        let broker = BrokerConfiguration(port: server.mqttPort, clientID: "device", protocolVersion: .v311)
        devices = Publisher(configuration: PublisherConfiguration(broker: broker))
    }

    /// The times of the readings that were published.
    private var times: [Timestamp] {
        bus.messages.compactMap { try? BatchDecoder().decode($0.payload.span) }.flatMap(\.groups).flatMap(\.observations).map(\.time)
    }

    /// Takes what devices send, as a process does from its start to its end.
    private func ingest(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let outbox = try await Outbox(path: folder.path("outbox.sqlite"))
        let stamps = ArrivalStamps(pending: try await outbox.stamps())
        var broker = BrokerConfiguration(
            port: server.mqttPort, clientID: "ingest", protocolVersion: .v311, session: .persistent(expiry: .seconds(3600)))
        broker.backoff = Backoff(base: .milliseconds(20), maximum: .milliseconds(300))
        let events = EventLog()
        let consumer = Consumer(
            configuration: ConsumerConfiguration(broker: broker, subscriptions: [Subscription(Topic.Filter.ingest)])
        ) { event in
            if case .acknowledgementsSent = event { stamps.acknowledged() }
            if case .connected(let info) = event {
                stamps.connected(keepingSession: info.sessionPresent, reusesNumbers: info.version != .v5)
            }
            events.note(event)
        }
        let metrics = MetricsRegistry()
        let delivery = Delivery(
            publisher: bus, outbox: outbox, stamps: stamps, confirmations: "vigil/v1/receipts/vigil-ingest/main",
            metrics: OutboxMetrics(metrics))
        let pipeline = IngestPipeline(
            batches: consumer.batches, delivery: delivery, reader: MessageReader(), metrics: IngestMetrics(metrics),
            log: Logger(service: "test", level: .error, sink: { _ in }), stamps: stamps, now: { .now })
        try await withRunning(consumer) { _ in
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await pipeline.run() }
                try await events.waitUntilReady()
                try await body()
                tasks.cancelAll()
            }
        }
    }

    @Test("get a time each, however often the same is said, over one connection and the next")
    func equal() async throws {
        try await withRunning(devices) { devices in
            for connection in 0..<2 {
                try await ingest {
                    for number in 1...3 {
                        try await devices.publish(OutgoingMessage(topic: Self.topic, payload: Self.line))
                        try await eventually("reading \(number) of connection \(connection)") {
                            Set(times).count >= 3 * connection + number
                        }
                    }
                }
            }
            // On a busy machine the broker sends one again that is being acknowledged: it keeps its time.
            #expect(Set(times).count == 6)
        }
    }

    @Test("have the time that they had when they come again, beside new ones that say the same")
    func again() async throws {
        try await withRunning(devices) { devices in
            try await ingest {
                // It is on disk, and has its time, when publishing fails.
                bus.failNext(BusError(.closed, during: .publish))
                try await devices.publish(OutgoingMessage(topic: Self.topic, payload: Self.line))
                try await eventually("the stamp on disk") { try await Outbox(path: folder.path("outbox.sqlite")).stamps().count == 1 }
            }
            let first = try #require(try await Outbox(path: folder.path("outbox.sqlite")).stamps().values.first)
            try await ingest {
                try await devices.publish(OutgoingMessage(topic: Self.topic, payload: Self.line))
                try await eventually("both") { Set(times).count >= 2 }
            }
            // On a busy machine one that is being acknowledged comes once more, with its time.
            #expect(Set(times).count == 2 && times.contains(first))
        }
    }
}
