import MessageBus
import Observability
import SensorIngest
import ServiceKit
import TestSupport
import Testing
import VigilSchema

@Suite("Ingest pipeline")
struct IngestPipelineTests {
    private static let now = Timestamp(seconds: 1_700_000_000)

    /// Runs the pipeline over deliveries and returns what was published and how each delivery was settled.
    private func run(
        _ deliveries: [[IncomingMessage]], publisher: InMemoryPublisher = InMemoryPublisher()
    ) async throws -> (published: [OutgoingMessage], outcomes: [MessageBatch.Outcome]) {
        let source = BatchSource()
        let metrics = OutboxMetrics(MetricsRegistry())
        let delivery = Delivery(
            publisher: publisher, outbox: try await Outbox(path: ":memory:"), confirmations: "confirmations",
            metrics: metrics)
        let pipeline = IngestPipeline(
            batches: source, delivery: delivery, reader: MessageReader(limits: .init(payload: 1000)),
            metrics: IngestMetrics(MetricsRegistry()), log: Logger(service: "test", level: .error, sink: { _ in }), now: { Self.now })
        async let running: Void = pipeline.run()
        var outcomes: [MessageBatch.Outcome] = []
        for messages in deliveries { outcomes.append(await source.send(messages)) }
        source.finish()
        try await running
        return (publisher.messages, outcomes)
    }

    private func message(_ text: String, topic: String = "vigil/v1/ingest/12/A01") -> IncomingMessage {
        IncomingMessage(topic: topic, payload: Array(text.utf8))
    }

    @Test("publishes a canonical batch and acknowledges the message")
    func accepted() async throws {
        let (published, outcomes) = try await run([[message(#"{"metric":"heart-rate","time":1484840182,"value":1.5,"unit":"Hz"}"#)]])
        #expect(outcomes == [.committed])
        let only = try #require(published.first)
        #expect(published.count == 1 && only.topic == Topic.readings(Partition(participant: "12")).path)
        let batch = try BatchDecoder().decode(only.payload.span)
        #expect(
            batch.groups == [
                ObservationGroup(
                    participant: "12", source: "A01", received: Self.now,
                    observations: [
                        Observation(metric: "heart-rate", time: Timestamp(seconds: 1_484_840_182), content: .value(90), unit: "/min")
                    ])
            ])
    }

    @Test(
        "rejects what is wrong with a reason, acknowledges it, and goes on",
        arguments: [
            ("{not json", "vigil/v1/ingest/12/A01", PayloadError.Code.malformed),
            (#"{"metric":"heart-rate","time":1,"value":"x"}"#, "vigil/v1/ingest/12/A01", .wrongType),
            (#"{"metric":"heart-rate","time":1,"value":NaN}"#, "vigil/v1/ingest/12/A01", .malformed),
            (#"{"metric":"hart-rate","time":1,"value":70}"#, "vigil/v1/ingest/12/A01", .unknownMetric),
            (#"{"metric":"heart-rate","time":1,"value":7000}"#, "vigil/v1/ingest/12/A01", .implausible),
            (#"{"metric":"heart-rate","time":9000000000,"value":70}"#, "vigil/v1/ingest/12/A01", .implausibleTime),
            ("[" + String(repeating: " ", count: 1001) + "]", "vigil/v1/ingest/12/A01", .tooLarge),
            ("\0\0\0", "vigil/v1/ingest/12/A01", .unsupported),
            ("", "vigil/v1/ingest/12/A01", .malformed),
            (#"{"metric":"heart-rate","time":1,"value":70}"#, "vigil/v1/ingest/12", .badTopic),
            (#"{"metric":"heart-rate","time":1,"value":70}"#, "vigil/v1/ingest/12/manual.carl", .badTopic),
            (#"{"metric":"heart-rate","time":1,"value":70}"#, "vigil/v1/ingest/12/other/carl", .badTopic),
            (#"{"metric":"heart-rate","time":1,"value":70}"#, "vigil/v1/ingest/12/manual/\(String(repeating: "c", count: 60))", .badTopic),
            (#"{"metric":"heart-rate","time":1,"value":70}"#, "vigil/v1/ingest/ä/A01", .badTopic),
        ])
    func rejected(text: String, topic: String, code: PayloadError.Code) async throws {
        let good = message(#"{"metric":"heart-rate","time":1484840182,"value":70}"#)
        let (published, outcomes) = try await run([[message(text, topic: topic)], [good]])
        #expect(outcomes == [.committed, .committed])
        #expect(published.count == 2)
        let reject = try Reject(decoding: #require(published.first).payload)
        #expect(reject.code == code.rawValue)
        #expect(!reject.reason.isEmpty && reject.topic == topic)
        let known = code != .badTopic
        #expect(published.first?.topic == (known ? "vigil/v1/rejects/12/A01" : "vigil/v1/rejects/unknown/unknown"))
    }

    @Test("gives the batch back when the broker does not take what it became")
    func publishFails() async throws {
        let publisher = InMemoryPublisher()
        publisher.failNext(BusError(.closed, during: .publish))
        let (_, outcomes) = try await run([[message(#"{"metric":"heart-rate","time":1484840182,"value":70}"#)]], publisher: publisher)
        #expect(outcomes == [.rejected])
    }
}
