import Foundation
import MessageBus
import Observability
import ServiceKit
import TestSupport
import Testing
import VigilSchema

@testable import SensorIngest

/// What the broker between the services does not take, with no broker.
@Suite("What the broker does not take", .timeLimit(.minutes(2)))
struct UnpublishableTests {
    private static let start = Timestamp(seconds: 1_700_000_000)
    private static let log = Logger(service: "test", level: .error, sink: { _ in })
    private let publisher = InMemoryPublisher()
    private let registry = MetricsRegistry()

    private static func message(_ text: String, of device: String = "anna/w", asks: UInt8? = nil) -> IncomingMessage {
        IncomingMessage(
            topic: "vigil/v1/ingest/\(device)", payload: Array(text.utf8), properties: MessageProperties(correlationData: asks.map { [$0] })
        )
    }

    private static func reading(_ second: Int, session: String = "s") -> String {
        #"{"session":"\#(session)","observations":[{"metric":"heart-rate","time":\#(1_690_000_000 + second),"value":70}]}"#
    }

    private static func result(_ messages: [IncomingMessage]) -> IngestResult {
        var reader = MessageReader()
        return reader.read(messages, received: start)
    }

    private func delivery(_ outbox: Outbox, _ keeping: Delivery.Keeping = .all) -> Delivery {
        Delivery(
            publisher: publisher, outbox: outbox, keeping: keeping, confirmations: "confirm/here", metrics: OutboxMetrics(registry),
            log: Self.log)
    }

    private func number(_ name: String) -> String? {
        registry.render().split(separator: "\n").first { $0.hasPrefix("vigil_ingest_\(name) ") }?.split(separator: " ").last.map(
            String.init)
    }

    /// The times of what was published, in order, in seconds after the first.
    private func published(_ participant: String = "anna") throws -> [Int] {
        try publisher.messages.filter { $0.topic.contains("/observations/") }.map { try BatchDecoder().decode($0.payload.span) }
            .flatMap(\.groups).filter { $0.participant == participant }.flatMap(\.observations).map { Int($0.time.seconds) - 1_690_000_000 }
    }

    private func receipts() throws -> [UInt8: Receipt] {
        let replies = publisher.messages.filter { $0.topic == "vigil/v1/receipts/anna/w" }
        return Dictionary(
            try replies.map { ($0.properties.correlationData?.first ?? 0, try Receipt(decoding: $0.payload)) }, uniquingKeysWith: { $1 })
    }

    private func refuse(above bytes: Int) {
        publisher.fail {
            $0.topic.contains("/observations/") && $0.payload.count > bytes ? BusError(.messageTooLarge, during: .publish) : nil
        }
    }

    @Test("a stranger's messages of nothing but control characters leave in batches that any broker takes, beside everybody's")
    func controlCharacters() async throws {
        refuse(above: 256 << 10)
        let name = String(repeating: #"\b\f"#, count: 126)
        var messages = (0..<1400).map { Self.message(Self.reading($0, session: name + String(format: "%04d", $0)), of: "mallory/w") }
        messages.insert(Self.message(Self.reading(7), asks: 1), at: 700)
        let outbox = try await Outbox(path: ":memory:")
        let result = try await delivery(outbox).deliver(Self.result(messages), at: Self.start)
        #expect(result.accepted == 1401 && result.refused == 0)
        #expect(try published("mallory").sorted() == Array(0..<1400) && published() == [7])
        #expect(number("unpublishable_total") == "0")
    }

    @Test(
        "a batch that is too large is divided, in order, with its receipts; others of its topic come behind it", arguments: [1_000, 20_000])
    func divided(limit: Int) async throws {
        refuse(above: limit)
        let messages = (0..<300).map { Self.message(Self.reading($0, session: "\($0 / 7)"), asks: UInt8($0 % 256)) }
        let outbox = try await Outbox(path: ":memory:")
        let result = try await delivery(outbox).deliver(Self.result(messages), at: Self.start)
        #expect(try published() == Array(0..<300))
        #expect(result.accepted == 300 && result.refused == 0 && result.refusals.isEmpty)
        let ids = try publisher.messages.map { try BatchDecoder().decode($0.payload.span).id }
        #expect(Set(ids).count == ids.count && ids.count > 1)
        #expect(await outbox.load.batches == ids.count)
        // Each of the observations has its own receipt: the last batch's are not told before it is stored.
        try await outbox.confirm(Confirmation(stored: Array(ids.dropLast())), now: Self.start)
        let told = try await outbox.finished().count
        #expect(told < 300)
        let last = try #require(ids.last)
        let unkept = Confirmation.Unkept(group: 0, observation: 0, reason: "odd")
        try await outbox.confirm(Confirmation(refused: [.init(batch: last, reason: "odd", observations: [unkept])]), now: Self.start)
        #expect(try await outbox.finished().count == 300)
        #expect(await outbox.load == Outbox.Load(batches: 0, bytes: 0))
    }

    @Test("what was shown to be too large once is divided before it is published, and is not tried again and again")
    func learns() async throws {
        refuse(above: 20_000)
        let delivery = delivery(try await Outbox(path: ":memory:"))
        let messages = (0..<300).map { Self.message(Self.reading($0)) }
        try await delivery.deliver(Self.result(messages), at: Self.start)
        let count = publisher.messages.count
        publisher.fail { $0.payload.count > 20_000 ? BusError(.closed, during: .publish) : nil }
        try await delivery.deliver(Self.result(messages), at: Self.start)
        #expect(publisher.messages.count == count * 2)
    }

    @Test("a single reading that is too large is refused in words with its receipt, and all others of its batch are stored")
    func single() async throws {
        refuse(above: 20_000)
        let long = String(repeating: #"\b"#, count: 4000)
        var messages = (0..<10).map { Self.message(Self.reading($0), asks: UInt8($0)) }
        messages.insert(Self.message(#"{"metric":"note","time":1690000100,"text":"\#(long)"}"#, asks: 100), at: 5)
        let outbox = try await Outbox(path: ":memory:")
        let result = try await delivery(outbox).deliver(Self.result(messages), at: Self.start)
        #expect(try published() == Array(0..<10))
        #expect(result.accepted == 10 && result.refused == 1 && number("unpublishable_total") == "1")
        let rejects = publisher.messages.filter { $0.topic == "vigil/v1/rejects/anna/w" }
        #expect(
            rejects.count == 1
                && String(decoding: rejects[0].payload, as: UTF8.self).contains("the broker between the services takes no message"))
        #expect(try receipts()[100]?.outcome == .rejected && receipts().count == 1)
        let ids = try publisher.messages.filter { $0.topic.contains("/observations/") }.map {
            try BatchDecoder().decode($0.payload.span).id
        }
        try await outbox.confirm(Confirmation(stored: ids), now: Self.start)
        #expect(try await outbox.finished().count == 10)
    }

    @Test("what the timeline had confirmed before the rest was divided is not kept once more, and its receipt is sent once")
    func confirmedMeanwhile() async throws {
        let outbox = try await Outbox(path: ":memory:")
        let publisher = ConfirmingLimitedPublisher(outbox: outbox, limit: 20_000, now: Self.start)
        let delivery = Delivery(publisher: publisher, outbox: outbox, confirmations: "here", metrics: OutboxMetrics(registry))
        let messages =
            [Self.message(Self.reading(0), of: "bea/w", asks: 1)] + (1..<300).map { Self.message(Self.reading($0), asks: UInt8($0 % 256)) }
        try await delivery.deliver(Self.result(messages), at: Self.start)
        #expect(await outbox.load.batches == 0)
        #expect(try await outbox.finished().count >= 299)
    }

    @Test(
        "a batch whose topic the broker does not allow waits in the outbox and is told, and nobody else waits for it",
        arguments: [BusError.Code.notAuthorized, .invalidTopic], [Delivery.Keeping.all, .asked])
    func forbidden(code: BusError.Code, keeping: Delivery.Keeping) async throws {
        let outbox = try await Outbox(path: ":memory:"), forbidden = Topic.readings(Partition(participant: "anna")).path
        publisher.fail { $0.topic == forbidden ? BusError(code, during: .publish, reason: 0x87) : nil }
        let messages = [Self.message(Self.reading(1)), Self.message(Self.reading(2), of: "participant-of-another-partition/w")]
        let result = Self.result(messages)
        try #require(Set(result.batches.map(\.topic.path)).count == 2)
        try await delivery(outbox, keeping).deliver(result, at: Self.start)
        #expect(try published("participant-of-another-partition") == [2] && published() == [])
        #expect(await outbox.load.batches == (keeping == .all ? 2 : 1) && number("unpublishable_total") == "1")
        // It leaves once it may.
        publisher.fail(where: nil)
        let late = Self.start.advanced(bySeconds: 3600)
        #expect(try await repeater(outbox, at: late).repeatOnce())
        #expect(try published() == [1])
    }

    @Test("what the broker refuses for the moment is given back, and comes again", arguments: [UInt8(0x83), 0x97])
    func temporary(reason: UInt8) async throws {
        let outbox = try await Outbox(path: ":memory:")
        publisher.failNext(BusError(reason == 0x97 ? .quotaExceeded : .refused, during: .publish, reason: reason))
        await #expect(throws: BusError.self) {
            try await delivery(outbox).deliver(Self.result([Self.message(Self.reading(1))]), at: Self.start)
        }
        #expect(await outbox.load.batches == 0)
    }

    // MARK: - Repeats

    private func repeater(_ outbox: Outbox, at time: Timestamp) -> OutboxRepeater {
        OutboxRepeater(
            outbox: outbox, link: OutboxLink(), publisher: publisher, metrics: OutboxMetrics(registry), log: Self.log, now: { time })
    }

    @Test(
        "what cannot be published again is passed over, kept and tried later; all others go on, also of its topic",
        arguments: [BusError(.messageTooLarge, during: .publish), BusError(.refused, during: .publish, reason: 0x83)])
    func passedOver(error: BusError) async throws {
        let outbox = try await Outbox(path: ":memory:")
        let entries = (0..<40).map { OutboxEntry(id: "\($0)", topic: "t/\($0 % 3)", payload: [$0 < 16 ? 1 : 0, UInt8($0)]) }
        try await outbox.keep(entries, receiptRequests: [], now: Self.start)
        publisher.fail { $0.payload[0] == 1 ? error : nil }
        let late = Self.start.advanced(bySeconds: 3600)
        let repeater = repeater(outbox, at: late)
        while try await repeater.repeatOnce() {}
        #expect(Set(publisher.messages.map { $0.payload[1] }) == Set(16..<40))
        #expect(await outbox.load.batches == 40)
        #expect(number("outbox_repeats_total") == "24" && number("unpublishable_total") == (error.concernsMessage ? "16" : "0"))
        publisher.fail(where: nil)
        // Later than the others of their kind, and sooner where it may be over at any time.
        let again = late.advanced(bySeconds: error.concernsMessage ? 1200 : 0.5 * 2)
        #expect(try await outbox.due(at: again.advanced(bySeconds: -0.1)).isEmpty)
        #expect(try await outbox.due(at: again).count == 16)
    }

    // MARK: - Order

    private static func entries() -> [OutboxEntry] {
        (0..<60).map { OutboxEntry(id: "\($0)", topic: "t/\($0 % 4)", payload: [UInt8($0)]) }
    }

    private func isInOrder() -> Bool {
        let lanes = Dictionary(grouping: publisher.messages, by: \.topic).values.map { $0.map { $0.payload[0] } }
        return lanes.count == 4 && lanes.allSatisfy { $0.count == 15 && $0 == $0.sorted() }
    }

    @Test("the batches of one topic leave in their order, whichever task runs first")
    func order() async throws {
        var assembler = BatchAssembler(limits: .init(count: 2))
        let address = DeviceAddress(participant: "anna", device: "w")
        for second in 0..<200 {
            let time = Timestamp(seconds: 1_690_000_000 + Double(second))
            assembler.add(
                Observation(metric: "heart-rate", time: time, content: .value(70), unit: "/min"), from: address, session: nil,
                received: Self.start)
        }
        var result = IngestResult()
        result.batches = assembler.finish(at: Self.start)
        let delivery = delivery(try await Outbox(path: ":memory:"))
        _ = try await withTaskExecutorPreference(LastFirstExecutor()) { [result] in try await delivery.deliver(result, at: Self.start) }
        #expect(try published() == Array(0..<200))
    }

    @Test("repeated ones too")
    func repeatedOrder() async throws {
        let outbox = try await Outbox(path: ":memory:")
        try await outbox.keep(Self.entries(), receiptRequests: [], now: Self.start)
        let repeater = repeater(outbox, at: Self.start.advanced(bySeconds: 3600))
        try await withTaskExecutorPreference(LastFirstExecutor()) { while try await repeater.repeatOnce() {} }
        #expect(isInOrder())
    }

    @Test("different topics leave at once")
    func atOnce() async {
        let meeting = MeetingPublisher(4)
        let outcome = await BatchLanes(publisher: meeting).publish(Self.entries()) { _ in false }
        #expect(outcome.published.count == 60 && outcome.refused.isEmpty)
    }
}

/// A bus whose store confirms each batch at once, and which takes none that is larger than a limit.
private struct ConfirmingLimitedPublisher: MessagePublisher {
    let outbox: Outbox
    let limit: Int
    let now: Timestamp

    func publish(_ message: OutgoingMessage) async throws(BusError) {
        guard message.topic.contains("/observations/") else { return }
        guard message.payload.count <= limit else { throw BusError(.messageTooLarge, during: .publish) }
        do {
            try await outbox.confirm(Confirmation(stored: [try BatchDecoder().decode(message.payload.span).id]), now: now)
        } catch {
            throw BusError(.internalFailure, during: .publish)
        }
    }
}

/// A publisher that lets the first messages go only once so many are on their way at once.
private actor MeetingPublisher: MessagePublisher {
    private let expected: Int
    private var arrived = 0

    init(_ expected: Int) { self.expected = expected }

    func publish(_ message: OutgoingMessage) async throws(BusError) {
        arrived += 1
        while arrived < expected { await Task.yield() }
    }
}
