import MessageBus
import Observability
import ServiceKit
import TestSupport
import Testing
import Timeline
import TimelineStore
import VigilSchema

@Suite("Timeline writer")
struct TimelineWriterTests {
    private static let now = Timestamp(seconds: 1_700_000_000)

    /// Runs the writer over deliveries and returns what was published and how each delivery was settled.
    private func run(
        _ store: any SQLTimelineStore, _ deliveries: [[IncomingMessage]], publisher: InMemoryPublisher = InMemoryPublisher(),
        registry: MetricsRegistry = MetricsRegistry()
    ) async throws -> (published: [OutgoingMessage], outcomes: [MessageBatch.Outcome]) {
        let source = BatchSource()
        let writer = TimelineWriter(
            batches: source, store: store, replies: ReplyPublisher(publisher), metrics: TimelineMetrics(registry),
            log: Logger(service: "test", level: .error, sink: { _ in }), clock: ImmediateClock(), now: { Self.now })
        async let running: Void = writer.run()
        var outcomes: [MessageBatch.Outcome] = []
        for messages in deliveries { outcomes.append(await source.send(messages)) }
        source.finish()
        try await running
        return (publisher.messages, outcomes)
    }

    private func message(_ id: String, values: [Double], asking: Bool = true) -> IncomingMessage {
        let observations = values.map {
            Observation(metric: "heart-rate", time: Timestamp(seconds: 1_600_000_000 + $0), content: .value($0), unit: "/min")
        }
        let group = ObservationGroup(participant: "12", source: "A01", received: Self.now, observations: observations)
        return IncomingMessage(
            topic: Topic.readings(Partition(participant: "12")).path,
            payload: BatchEncoder.encode(ObservationBatch(id: id, groups: [group])),
            properties: asking
                ? MessageProperties(responseTopic: "vigil/v1/responses/\(id)", correlationData: [1, 2]) : MessageProperties())
    }

    private func store() -> any SQLTimelineStore { SQLiteStore(path: ":memory:") }

    @Test("sends a receipt with the counts to who asked, and to nobody else")
    func receipts() async throws {
        let (published, outcomes) = try await run(
            store(), [[message("a", values: [60, 61])], [message("b", values: [61, 62]), message("c", values: [63], asking: false)]])
        #expect(outcomes == [.committed, .committed])
        #expect(published.map(\.topic) == ["vigil/v1/responses/a", "vigil/v1/responses/b"])
        #expect(published.allSatisfy { $0.properties.correlationData == [1, 2] })
        let receipts = try published.map { try Receipt(decoding: $0.payload) }
        #expect(
            receipts == [
                Receipt(outcome: .stored, batch: "a", stored: 2), Receipt(outcome: .stored, batch: "b", stored: 1, duplicates: 1),
            ])
    }

    @Test("tries again while the store is away, and stores nothing twice", arguments: [false, true])
    func outage(commitsFirst: Bool) async throws {
        let failure = StoreError(.connectionLost, operation: "append", detail: "test")
        let flaky = FlakyStore(store(), failures: [failure, failure, failure], commitsFirst: commitsFirst)
        let registry = MetricsRegistry()
        let (published, outcomes) = try await run(flaky, [[message("a", values: [60, 61])]], registry: registry)
        #expect(outcomes == [.committed])
        let receipt = try Receipt(decoding: try #require(published.first).payload)
        #expect(receipt.stored + receipt.duplicates == 2)
        #expect(receipt.stored == (commitsFirst ? 0 : 2))
        #expect(registry.render().contains("vigil_timeline_store_failures_total 3"))
    }

    @Test("gives the delivery back and ends when the store can never take it")
    func hopeless() async throws {
        let flaky = FlakyStore(store(), failures: [StoreError(.schemaTooNew, operation: "append", detail: "test")])
        let source = BatchSource()
        let writer = TimelineWriter(
            batches: source, store: flaky, replies: ReplyPublisher(InMemoryPublisher()), metrics: TimelineMetrics(MetricsRegistry()),
            log: Logger(service: "test", level: .error, sink: { _ in }), clock: ImmediateClock(), now: { Self.now })
        async let outcome = source.send([message("a", values: [60])])
        await #expect(throws: StoreError.self) { try await writer.run() }
        #expect(await outcome == .rejected)
    }

    @Test("sends a message that is no batch to the rejects and stores the others of its delivery")
    func malformed() async throws {
        let broken = IncomingMessage(
            topic: Topic.readings(Partition(participant: "12")).path, payload: Array("{}".utf8),
            properties: MessageProperties(responseTopic: "vigil/v1/responses/x"))
        let (published, outcomes) = try await run(store(), [[broken, message("a", values: [60])]])
        #expect(outcomes == [.committed])
        #expect(
            published.map(\.topic).sorted() == ["vigil/v1/rejects/unknown/vigil-timeline", "vigil/v1/responses/a", "vigil/v1/responses/x"])
        let refused = try #require(published.first { $0.topic == "vigil/v1/responses/x" })
        #expect(try Receipt(decoding: refused.payload).outcome == .rejected)
    }

    @Test("acknowledges only once the receipts have left")
    func receiptFails() async throws {
        let publisher = InMemoryPublisher()
        publisher.failNext(BusError(.closed, during: .publish))
        let (_, outcomes) = try await run(store(), [[message("a", values: [60])], [message("a", values: [60])]], publisher: publisher)
        #expect(outcomes == [.rejected, .committed])
        #expect(try Receipt(decoding: try #require(publisher.messages.first).payload).duplicates == 1)
    }

    private func alert(rule: String = "tachycardia", participant: String = "12") -> AlertMessage {
        AlertMessage(
            participant: participant, rule: rule, sequence: 1, transition: "raised", cause: "reading", time: Self.now.seconds,
            decided: Self.now.seconds, state: "active", severity: "warning", priority: "medium", kind: "medical", group: "heart",
            since: Self.now.seconds)
    }

    private func message(_ alert: AlertMessage, rule: String = "tachycardia") throws -> IncomingMessage {
        IncomingMessage(topic: Topic.alertEvent(participant: "12", rule: rule).path, payload: try alert.encoded())
    }

    @Test("stores an alert's transition once, beside the observations of its delivery")
    func alerts() async throws {
        let folder = try TemporaryFolder()
        let store = SQLiteStore(path: folder.path("timeline.sqlite"))
        let registry = MetricsRegistry()
        let event = try message(alert())
        let (published, outcomes) = try await run(store, [[event, message("a", values: [60])], [event]], registry: registry)
        #expect(outcomes == [.committed, .committed])
        #expect(published.map(\.topic) == ["vigil/v1/responses/a"])
        let end = Self.now.advanced(bySeconds: 1)
        #expect(try await store.alerts(participant: "12", from: Self.now, to: end) == [alert()])
        #expect(registry.render().contains("vigil_timeline_alert_events_duplicate_total 1"))
    }

    @Test("tries alerts again while the store is away")
    func alertOutage() async throws {
        let failure = StoreError(.unavailable, operation: "append", detail: "test")
        let registry = MetricsRegistry()
        let flaky = FlakyStore(store(), failures: [failure, failure], commitsFirst: true)
        let (_, outcomes) = try await run(flaky, [[try message(alert())]], registry: registry)
        #expect(outcomes == [.committed])
        #expect(registry.render().contains("vigil_timeline_alert_events_duplicate_total 1"))
    }

    @Test("sends an alert that cannot be read, or that its topic contradicts, to the rejects")
    func wrongAlerts() async throws {
        var endless = alert()
        endless.time = 1e12
        var nul = alert()
        nul.title = ["en": "a\0b"]
        let broken = IncomingMessage(topic: Topic.alertEvent(participant: "12", rule: "x").path, payload: Array("{}".utf8))
        let nameless = IncomingMessage(topic: "vigil/v1/alert-events/12/a+b", payload: try alert().encoded())
        let wrong = try [
            broken, nameless, message(endless), message(nul), message(alert(participant: "13")), message(alert(), rule: "other"),
        ]
        let (published, outcomes) = try await run(store(), [wrong])
        #expect(outcomes == [.committed])
        let rejects = try published.map { try Reject(decoding: $0.payload) }
        #expect(rejects.map(\.code) == ["malformed", "bad-topic", "implausible-time", "malformed", "conflicting", "conflicting"])
        #expect(rejects.map(\.participant) == ["12", "unknown", "12", "12", "12", "12"])
    }
}
