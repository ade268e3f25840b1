import MessageBus
import SensorIngest
import ServiceKit
import TestSupport
import Testing
import Timeline
import TimelineStore
import VigilSchema

@Suite("A broker that is killed", .timeLimit(.minutes(3)))
struct BrokerKillTests {
    private let log = Logger(service: "test", level: .error, sink: { _ in })
    private let confirmations = "vigil/v1/receipts/vigil-ingest/main"

    @Test("costs no reading of a publisher that sends until its receipt, and stores none twice")
    func killed() async throws {
        let broker = try await MosquittoServer.start()
        let folder = try TemporaryFolder()
        let stored = TimelineMetrics(MetricsRegistry())
        let total = 300
        try await withThrowingTaskGroup { tasks in
            try await startTimeline(broker, folder, stored, in: &tasks)
            try await startIngest(broker, folder, in: &tasks)
            let requester = startDevice(broker, in: &tasks)
            try await withThrowingTaskGroup { sending in
                for number in 0..<total { sending.addTask { try await send(number, requester) } }
                for share in 1...2 {
                    try await eventually(within: .seconds(60), "a third is stored") { stored.stored.value >= total * share / 3 }
                    try await broker.kill()
                    try await broker.start()
                }
                try await sending.waitForAll()
            }
            tasks.cancelAll()
            while (await tasks.nextResult()) != nil {}
        }
        #expect(stored.stored.value == total)
        #expect(stored.corrections.value == 0)
    }

    /// Sends a reading until the receipt says that it is stored.
    private func send(_ number: Int, _ requester: Requester) async throws {
        let payload = Array(#"{"metric":"heart-rate","time":\#(1_700_000_000 + number),"value":70}"#.utf8)
        let topic = Topic.ingest(participant: "p\(number % 20)", device: "d").path
        while true {
            do {
                let answer = try await requester.request(timeout: .seconds(5)) { _ in OutgoingMessage(topic: topic, payload: payload) }
                #expect(try Receipt(decoding: answer.payload).outcome == .stored)
                return
            } catch let error as BusError where error.isRetryable {
                continue
            }
        }
    }

    private func startTimeline(
        _ broker: MosquittoServer, _ folder: TemporaryFolder, _ metrics: TimelineMetrics, in tasks: inout ThrowingTaskGroup<Void, any Error>
    ) async throws {
        let consumer = consumer(broker, "timeline", [Topic.Filter.observations])
        let publisher = publisher(broker, "timeline-publisher")
        let writer = TimelineWriter(
            batches: consumer.batches, store: SQLiteStore(path: folder.path("timeline.sqlite")), publisher: publisher, metrics: metrics,
            log: log, now: { .now })
        tasks.addTask { try await publisher.run() }
        tasks.addTask { try await consumer.run() }
        tasks.addTask { try await writer.run() }
    }

    private func startIngest(
        _ broker: MosquittoServer, _ folder: TemporaryFolder, in tasks: inout ThrowingTaskGroup<Void, any Error>
    ) async throws {
        var patience = Outbox.Patience()
        patience.overtaken = .milliseconds(200)
        patience.reconnected = .milliseconds(200)
        patience.unconfirmed = .seconds(2)
        let outbox = try await Outbox(path: folder.path("outbox.sqlite"), patience: patience)
        let link = OutboxLink(), metrics = OutboxMetrics(MetricsRegistry())
        let devices = consumer(broker, "ingest", [Topic.Filter.ingest])
        let confirming = consumer(broker, "ingest-confirmations", [confirmations], link)
        let publisher = publisher(broker, "ingest-publisher")
        let delivery = Delivery(publisher: publisher, outbox: outbox, link: link, confirmations: confirmations, metrics: metrics)
        let pipeline = IngestPipeline(
            batches: devices.batches, delivery: delivery, reader: MessageReader(), metrics: IngestMetrics(MetricsRegistry()), log: log,
            now: { .now })
        let reader = ConfirmationReader(
            batches: confirming.batches, outbox: outbox, publisher: publisher, metrics: metrics, log: log, now: { .now })
        let repeater = OutboxRepeater(
            outbox: outbox, link: link, publisher: publisher, confirmations: confirmations, repeats: metrics.repeats, log: log,
            now: { .now })
        tasks.addTask { try await publisher.run() }
        tasks.addTask { try await devices.run() }
        tasks.addTask { try await confirming.run() }
        tasks.addTask { try await pipeline.run() }
        tasks.addTask { try await reader.run() }
        tasks.addTask { try await repeater.run() }
    }

    private func startDevice(_ broker: MosquittoServer, in tasks: inout ThrowingTaskGroup<Void, any Error>) -> Requester {
        let requester = Requester(broker: broker.configuration(clientID: "device"), responsePrefix: "vigil/v1/receipts/p/d")
        tasks.addTask { try await requester.run() }
        return requester
    }

    private func consumer(_ broker: MosquittoServer, _ name: String, _ filters: [String], _ link: OutboxLink? = nil) -> Consumer {
        let configuration = broker.configuration(clientID: name, session: .persistent(expiry: .seconds(3600)))
        return Consumer(configuration: ConsumerConfiguration(broker: configuration, subscriptions: filters.map { Subscription($0) })) {
            event in
            if case .connected(let info) = event { link?.connected(isVersion5: info.version == .v5) }
        }
    }

    private func publisher(_ broker: MosquittoServer, _ name: String) -> Publisher {
        Publisher(configuration: PublisherConfiguration(broker: broker.configuration(clientID: name)))
    }
}
