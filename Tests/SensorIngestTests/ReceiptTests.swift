import MessageBus
import Observability
import SensorIngest
import ServiceKit
import TestSupport
import Testing
import VigilSchema

@Suite("Receipts")
struct ReceiptTests {
    private static let now = Timestamp(seconds: 1_700_000_000)
    private let address = DeviceAddress(participant: "12", device: "A01")

    private func message(_ text: String, response: String? = nil, correlation: String? = "7") -> IncomingMessage {
        IncomingMessage(
            topic: "vigil/v1/ingest/12/A01", payload: Array(text.utf8),
            properties: MessageProperties(responseTopic: response, correlationData: correlation.map { Array($0.utf8) }))
    }

    /// Runs messages through the pipeline, confirms what it kept, and returns everything published.
    private func run(_ messages: [IncomingMessage], keeping: Delivery.Keeping = .asked) async throws -> [OutgoingMessage] {
        let publisher = InMemoryPublisher()
        let outbox = try await Outbox(path: ":memory:")
        let metrics = OutboxMetrics(MetricsRegistry())
        let log = Logger(service: "test", level: .error, sink: { _ in })
        let delivery = Delivery(
            publisher: publisher, outbox: outbox, keeping: keeping, confirmations: "here", metrics: metrics)
        let source = BatchSource(), confirmations = BatchSource()
        let pipeline = IngestPipeline(
            batches: source, delivery: delivery, reader: MessageReader(), metrics: IngestMetrics(MetricsRegistry()), log: log,
            now: { Self.now })
        let reader = ConfirmationReader(
            batches: confirmations, outbox: outbox, replies: ReplyPublisher(publisher), metrics: metrics, log: log, now: { Self.now })
        async let running: Void = pipeline.run()
        async let reading: Void = reader.run()
        #expect(await source.send(messages) == .committed)
        let ids = batches(publisher.messages).filter { $0.confirmations == "here" }.map(\.id)
        #expect(await outbox.load.batches == ids.count)
        let confirmation = IncomingMessage(topic: "here", payload: try Confirmation(stored: ids).encoded())
        #expect(await confirmations.send([confirmation]) == .committed)
        #expect(await outbox.load.batches == 0)
        source.finish()
        confirmations.finish()
        _ = try await (running, reading)
        return publisher.messages
    }

    private func batches(_ messages: [OutgoingMessage]) -> [ObservationBatch] {
        messages.compactMap { try? BatchDecoder().decode($0.payload.span) }
    }

    @Test("sends one receipt to a publisher who asked, after the store has all parts of the message")
    func stored() async throws {
        let text = """
            [{"metric":"heart-rate","time":1484840182,"value":70},{"metric":"heart-rate","time":1484840183,"value":7000},
             {"metric":"ecg","time":1484840182,"period":0.004,"samples":[0.1,0.2]}]
            """
        let published = try await run([message(text, response: "vigil/v1/responses/12/answers"), message(text, correlation: nil)])
        let receipts = published.filter { $0.topic == "vigil/v1/responses/12/answers" }
        #expect(receipts.map(\.properties.correlationData) == [Array("7".utf8)])
        let receipt = try Receipt(decoding: try #require(receipts.first).payload)
        #expect(receipt.outcome == .stored && receipt.stored == 2 && receipt.rejected == 1)
        #expect(receipt.reasons.first?.hasPrefix("heart-rate lies outside") == true)
        #expect(published.last == receipts.first)
    }

    @Test(
        "tells it to a publisher who could ask in the payload only, and gives back what it was told to recognise it by",
        arguments: [
            (#"{"receipt":"n\"1","observations":["#, "vigil/v1/receipts/12/A01", "n\"1" as String?),
            (#"{"responseTopic":"vigil/v1/receipts/12/A01/x","observations":["#, "vigil/v1/receipts/12/A01/x", nil),
        ])
    func askedInPayload(head: String, topic: String, id: String?) async throws {
        let reading = #"{"metric":"heart-rate","time":1484840182,"value":70}"#
        let published = try await run([message(head + reading + "]}", correlation: nil)])
        let answer = try #require(published.last { $0.topic == topic })
        let receipt = try Receipt(decoding: answer.payload)
        #expect(receipt.outcome == .stored && receipt.stored == 1 && receipt.receipt == id)
        #expect(answer.properties.correlationData == nil)
    }

    @Test(
        "takes the readings of whoever asks for a receipt elsewhere, or by a long name, without one",
        arguments: [#""responseTopic":"vigil/v1/ingest/13/A01""#, #""receipt":""# + String(repeating: "x", count: 65) + #"""#])
    func askedInPayloadWrongly(wish: String) async throws {
        let text = "{\(wish)" + #","observations":[{"metric":"heart-rate","time":1484840182,"value":70}]}"#
        let published = try await run([message(text, correlation: nil)])
        #expect(batches(published).count == 1)
        #expect(!published.contains { $0.topic.contains("receipts") || $0.topic == "vigil/v1/ingest/13/A01" })
        #expect(published.contains { $0.topic == "vigil/v1/rejects/12/A01" })
    }

    @Test("answers at once where nothing of a message is kept")
    func rejected() async throws {
        let published = try await run([message("{not json")])
        let receipt = try #require(published.first { $0.topic == "vigil/v1/receipts/12/A01" })
        #expect(try Receipt(decoding: receipt.payload).outcome == .rejected)
    }

    @Test("receiptRequests the timeline only for what is kept")
    func asked() async throws {
        let plain = message(#"{"metric":"heart-rate","time":1484840182,"value":70}"#, correlation: nil)
        #expect(batches(try await run([plain])).map(\.confirmations) == [nil])
        #expect(batches(try await run([plain], keeping: .all)).map(\.confirmations) == ["here"])
    }

    @Test(
        "refuses a response topic that is not the device's to choose, in words, and takes the reading all the same",
        arguments: [
            "x", "vigil/v1/ingest/13/B", "vigil/v1/observations/00/readings", "vigil/v1/modules/vigil-alert/set", "a/+/b", "#", "$SYS/x",
            "vigil/v1/receipts/13/B", String(repeating: "/", count: 300),
            "vigil/v1/responses/12" + String(repeating: "/", count: 300),
        ])
    func topics(topic: String) async throws {
        let published = try await run(
            [message(#"{"metric":"heart-rate","time":1484840182,"value":70}"#, response: topic)], keeping: .all)
        #expect(batches(published).map(\.count) == [1])
        let rejects = try published.filter { $0.topic == "vigil/v1/rejects/12/A01" }.map { try Reject(decoding: $0.payload) }
        #expect(rejects.map { $0.reason.contains("response topic") } == [true])
        #expect(!published.contains { $0.topic == topic })
    }

    @Test("refuses correlation data of more than 64 bytes, in words")
    func correlation() async throws {
        let text = #"{"metric":"heart-rate","time":1484840182,"value":70}"#
        let longest = String(repeating: "c", count: 64)
        #expect(try await run([message(text, correlation: longest)]).last?.properties.correlationData == Array(longest.utf8))
        let published = try await run([message(text, correlation: longest + "c")], keeping: .all)
        let reject = try #require(published.first { $0.topic == "vigil/v1/rejects/12/A01" })
        #expect(try Reject(decoding: reject.payload).code == PayloadError.Code.tooLarge.rawValue)
        #expect(!published.contains { $0.topic.contains("receipts") })
    }

    @Test("keeps the delivery where the publisher has ended before its receipts left, and the receipt with it")
    func publisherEnds() async throws {
        let publisher = InMemoryPublisher(), outbox = try await Outbox(path: ":memory:")
        var request = try #require(try ReceiptRequest(message(""), wish: nil, from: address))
        request.accepted = 1
        try await outbox.keep(
            [OutboxEntry(id: "a", topic: "t", payload: [1], receiptRequests: [ReceiptCoverage(request: 0)])], receiptRequests: [request],
            now: Self.now)
        let source = BatchSource()
        let reader = ConfirmationReader(
            batches: source, outbox: outbox, replies: ReplyPublisher(publisher), metrics: OutboxMetrics(MetricsRegistry()),
            log: Logger(service: "test", level: .error, sink: { _ in }), now: { Self.now })
        async let reading: Void = reader.run()
        let confirmation = IncomingMessage(topic: "here", payload: try Confirmation(stored: ["a"]).encoded())
        publisher.failNext(BusError(.closed, during: .publish))
        #expect(await source.send([confirmation]) == .rejected)
        #expect(try await outbox.finished().count == 1)
        publisher.failNext(BusError(.notAuthorized, during: .publish, reason: 0x87))
        #expect(await source.send([confirmation]) == .committed)
        #expect(try await outbox.finished().isEmpty && publisher.messages.isEmpty)
        source.finish()
        try await reading
    }

    @Test("sends the receipt at once where the store confirms a batch before the outbox has it on disk")
    func fasterThanTheDisk() async throws {
        let outbox = try await Outbox(path: ":memory:")
        let publisher = ConfirmingPublisher(outbox: outbox, now: Self.now)
        let delivery = Delivery(
            publisher: publisher, outbox: outbox, confirmations: "here", metrics: OutboxMetrics(MetricsRegistry()))
        var assembler = BatchAssembler()
        let reading = Observation(metric: "heart-rate", time: Self.now, content: .value(70), unit: "/min")
        assembler.add(reading, from: address, session: nil, received: Self.now, ask: 0)
        var result = IngestResult()
        result.batches = assembler.finish(at: Self.now)
        var request = try #require(try ReceiptRequest(message(""), wish: nil, from: address))
        request.accepted = 1
        result.receiptRequests = [request]
        _ = try await withTaskExecutorPreference(LastFirstExecutor()) { [result] in try await delivery.deliver(result, at: Self.now) }
        #expect(try await outbox.finished().count == 1)
        #expect(await outbox.load.batches == 0)
    }
}

/// A bus whose store confirms each batch as soon as it is published.
private struct ConfirmingPublisher: MessagePublisher {
    let outbox: Outbox
    let now: Timestamp

    func publish(_ message: OutgoingMessage) async throws(BusError) {
        do {
            let batch = try BatchDecoder().decode(message.payload.span)
            try await outbox.confirm(Confirmation(stored: [batch.id]), now: now)
        } catch {
            throw BusError(.closed, during: .publish)
        }
    }
}
