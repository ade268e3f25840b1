import Foundation
import MessageBus
import Observability
import SQLiteDatabase
import SensorIngest
import ServiceKit
import Synchronization
import TestSupport
import Testing
import VigilSchema

@Suite("Outbox")
struct OutboxTests {
    private let start = Timestamp(seconds: 1_700_000_000)

    private func entry(_ id: String, topic: String = "t", receiptRequests: [Int] = []) -> OutboxEntry {
        OutboxEntry(
            id: id, topic: topic, payload: Array("batch \(id)".utf8), receiptRequests: receiptRequests.map { ReceiptCoverage(request: $0) })
    }

    private func ask(_ correlation: String, accepted: Int = 1, refused: Int = 0, reason: String? = nil) throws -> ReceiptRequest {
        let message = IncomingMessage(
            topic: "vigil/v1/ingest/12/A01", payload: [], properties: MessageProperties(correlationData: Array(correlation.utf8)))
        var request = try #require(try ReceiptRequest(message, wish: nil, from: DeviceAddress(participant: "12", device: "A01")))
        request.accepted = accepted
        request.refused = refused
        request.reason = reason
        return request
    }

    @Test("keeps a batch, over a restart too, until it is confirmed")
    func keeps() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("outbox.sqlite")
        do {
            let outbox = try await Outbox(path: path)
            try await outbox.keep([entry("a"), entry("b")], receiptRequests: [], now: start)
            try await outbox.confirm(Confirmation(stored: ["a", "unknown"]), now: start)
        }
        let outbox = try await Outbox(path: path)
        #expect(await outbox.load == Outbox.Load(batches: 1, bytes: 7))
        try await outbox.confirm(Confirmation(stored: ["b"]), now: start)
        try await outbox.confirm(Confirmation(stored: ["b"]), now: start)
        #expect(await outbox.load == Outbox.Load(batches: 0, bytes: 0))
    }

    @Test("lets a confirmation wait for the batch that is on its way into the file, and for no other")
    func early() async throws {
        let outbox = try await Outbox(path: ":memory:")
        await outbox.announce(["a", "b"])
        try await outbox.confirm(Confirmation(stored: ["c"]), now: start)
        async let confirming: Void = outbox.confirm(Confirmation(stored: ["a"]), now: start)
        try await outbox.keep([entry("b")], receiptRequests: [], now: start)
        try await outbox.keep([entry("a", receiptRequests: [0])], receiptRequests: [try ask("one")], now: start)
        try await confirming
        #expect(try await outbox.finished().count == 1)
        #expect(await outbox.load == Outbox.Load(batches: 1, bytes: 7))
    }

    @Test("lets a confirmation wait for a batch that is taken back to be kept in another form, and for none that is not kept again")
    func takenBack() async throws {
        let outbox = try await Outbox(path: ":memory:")
        try await outbox.keep(["a", "b", "c"].map { entry($0) }, receiptRequests: [], now: start)
        try await outbox.confirm(Confirmation(stored: ["c"]), now: start)
        #expect(try await outbox.takeBack(["a", "b", "c"], published: ["a", "c"]) == ["c"])
        try await outbox.confirm(Confirmation(stored: ["b", "c"]), now: start)
        async let confirming: Void = outbox.confirm(Confirmation(stored: ["a"]), now: start)
        try await outbox.keep([entry("a", receiptRequests: [0])], receiptRequests: [try ask("one")], now: start)
        try await confirming
        #expect(try await outbox.finished().count == 1)
        #expect(await outbox.load == Outbox.Load(batches: 0, bytes: 0))
    }

    @Test("forgets the wishes of a participant who is erased, with all that belongs to them, and nobody else's")
    func erasure() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("outbox.sqlite")
        let outbox = try await Outbox(path: path)
        try await outbox.keep([entry("a", receiptRequests: [0])], receiptRequests: [try ask("one")], now: start)
        #expect(try await outbox.erase(participant: "1").wishes == 0)
        let database = try Database(path: path)
        func count(_ table: String) throws -> Int64 { try database.rows("SELECT count(*) FROM \(table)") { $0.integer(0) }[0] }
        #expect(try count("asks") == 1 && count("ask_batches") == 1)
        #expect(try await outbox.erase(participant: "12").wishes == 1)
        #expect(try count("asks") == 0 && count("ask_batches") == 0)
    }

    @Test("has a receipt only once every batch of the message is stored, until it was sent")
    func receipts() async throws {
        let outbox = try await Outbox(path: ":memory:")
        let receiptRequests = [try ask("one", accepted: 3, refused: 1, reason: "odd"), try ask("two")]
        try await outbox.keep(
            [entry("a", receiptRequests: [0]), entry("b", receiptRequests: [0, 1])], receiptRequests: receiptRequests, now: start)
        try await outbox.confirm(Confirmation(stored: ["a"]), now: start)
        #expect(try await outbox.finished().isEmpty)
        try await outbox.confirm(Confirmation(stored: ["b"]), now: start)
        // Two receiptRequests of one millisecond have no order.
        let finished = try await outbox.finished().sorted { $0.correlation < $1.correlation }
        #expect(finished.map(\.correlation) == ["one", "two"])
        #expect(finished.map(\.reply.message?.topic) == Array(repeating: "vigil/v1/receipts/12/A01", count: 2))
        let receipt = try Receipt(decoding: #require(finished[0].reply.message).payload)
        #expect(receipt == Receipt(outcome: .stored, stored: 3, rejected: 1, reasons: ["odd"]))
        #expect(try await outbox.finished().count == 2)
        try await outbox.answered(finished)
        #expect(try await outbox.finished().isEmpty)
    }

    @Test("says rejected where the store did not keep all of it")
    func refused() async throws {
        let outbox = try await Outbox(path: ":memory:")
        try await outbox.keep(
            [entry("a", receiptRequests: [0]), entry("b", receiptRequests: [0])], receiptRequests: [try ask("one", accepted: 2)], now: start
        )
        try await outbox.confirm(Confirmation(stored: ["b"], refused: [.init(batch: "a", reason: "no room")]), now: start)
        let receipt = try Receipt(decoding: try #require(try await outbox.finished().first?.reply.message).payload)
        #expect(receipt == Receipt(outcome: .rejected, rejected: 2, reasons: ["no room"]))
    }

    @Test("counts an observation that the store refused off from the one whose it was, and from nobody else")
    func refusedByItself() async throws {
        let outbox = try await Outbox(path: ":memory:")
        var assembler = BatchAssembler()
        let address = DeviceAddress(participant: "12", device: "A01")
        for second in 0..<5 {
            let reading = Observation(
                metric: "heart-rate", time: start.advanced(bySeconds: Double(second)), content: .value(70), unit: "/min")
            assembler.add(reading, from: address, session: nil, received: start, ask: second < 3 ? 0 : 1)
        }
        let closed = try #require(assembler.finish(at: start).first)
        let entry = OutboxEntry(id: "a", topic: "t", payload: [1], receiptRequests: closed.receiptRequests)
        try await outbox.keep([entry], receiptRequests: [try ask("one", accepted: 3), try ask("two", accepted: 2)], now: start)
        let refused = Confirmation.Refused(
            batch: "a", reason: "odd",
            observations: [.init(group: 0, observation: 2, reason: "odd"), .init(group: 0, observation: 9, reason: "x")])
        try await outbox.confirm(Confirmation(refused: [refused]), now: start)
        let finished = try await outbox.finished().sorted { $0.correlation < $1.correlation }
        let receipts = try finished.map { try Receipt(decoding: #require($0.reply.message).payload) }
        #expect(receipts[0] == Receipt(outcome: .stored, stored: 2, rejected: 1, reasons: ["odd"]))
        #expect(receipts[1] == Receipt(outcome: .stored, stored: 2))
    }

    @Test("publishes again after a start only what went out last, by the time at which each was published")
    func twoTimes() async throws {
        let outbox = try await Outbox(path: ":memory:")
        try await outbox.keep([entry("early"), entry("again")], receiptRequests: [], now: start)
        let later = start.advanced(bySeconds: 400)
        try await outbox.repeated(["again"], at: later)
        try await outbox.started(at: later.advanced(bySeconds: 1))
        #expect(try await outbox.due(at: later.advanced(bySeconds: 1)).map(\.id) == ["again"])
        try await outbox.connectionReturned(at: later.advanced(bySeconds: 30))
        #expect(try await outbox.due(at: later.advanced(bySeconds: 32)).map(\.id) == ["again"])
        #expect(try await outbox.due(at: start.advanced(bySeconds: 600)).map(\.id).sorted() == ["again", "early"])
    }

    @Test("what it holds is shown in batches and in bytes")
    func shown() {
        let registry = MetricsRegistry()
        OutboxMetrics(registry).show(Outbox.Load(batches: 3, bytes: 700))
        let lines = registry.render().split(separator: "\n")
        #expect(lines.contains("vigil_ingest_outbox_batches 3") && lines.contains("vigil_ingest_outbox_bytes 700"))
    }

    @Test("a full outbox takes nothing more until something is confirmed")
    func full() async throws {
        let outbox = try await Outbox(path: ":memory:"), publisher = InMemoryPublisher()
        let pauses = EventCount()
        let delivery = Delivery(
            publisher: publisher, outbox: outbox, limit: 5, confirmations: "c", metrics: OutboxMetrics(MetricsRegistry()),
            clock: CountingClock(pauses))
        try await outbox.keep([entry("a")], receiptRequests: [], now: start)
        var reader = MessageReader()
        let reading = #"{"metric":"heart-rate","time":1484840182,"value":70}"#
        let result = reader.read([IncomingMessage(topic: "vigil/v1/ingest/12/A01", payload: Array(reading.utf8))], received: start)
        async let delivered = delivery.deliver(result, at: start)
        try await eventually("a pause") { pauses.value > 3 }
        #expect(publisher.messages.isEmpty)
        try await outbox.confirm(Confirmation(stored: ["a"]), now: start)
        _ = try await delivered
        #expect(publisher.messages.count == 1)
    }

    @Test("forgets what was given back, with the wishes for receipts")
    func forgets() async throws {
        let outbox = try await Outbox(path: ":memory:")
        try await outbox.keep([entry("a", receiptRequests: [0])], receiptRequests: [try ask("one")], now: start)
        try await outbox.forget(["a"])
        #expect(await outbox.load.batches == 0)
        #expect(try await outbox.finished().isEmpty)
        #expect(try await outbox.due(at: start.advanced(bySeconds: 1e6)).isEmpty)
    }

    @Test("publishes again without a sign only after ten minutes, then after twenty more")
    func patience() async throws {
        let outbox = try await Outbox(path: ":memory:")
        try await outbox.keep([entry("a")], receiptRequests: [], now: start)
        #expect(try await outbox.due(at: start.advanced(bySeconds: 599)).isEmpty)
        let later = start.advanced(bySeconds: 600)
        #expect(try await outbox.due(at: later) == [entry("a")])
        try await outbox.repeated(["a"], at: later)
        #expect(try await outbox.due(at: later.advanced(bySeconds: 1199)).isEmpty)
        #expect(try await outbox.due(at: later.advanced(bySeconds: 1200)).count == 1)
    }

    @Test("gives back what its file grew by in an outage")
    func shrinks() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("outbox.sqlite")
        let outbox = try await Outbox(path: path)
        let payload = [UInt8](repeating: 32, count: 1 << 20)
        func size() throws -> Int {
            try ["", "-wal"].reduce(0) { try $0 + (URL(filePath: path + $1).resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0) }
        }
        try await outbox.keep((0..<48).map { OutboxEntry(id: "\($0)", topic: "t", payload: payload) }, receiptRequests: [], now: start)
        #expect(try size() > 48 << 20)
        try await outbox.confirm(Confirmation(stored: (0..<48).map { "\($0)" }), now: start)
        #expect(try size() < 1 << 20)
    }

    @Test("publishes again soon what a later batch of its topic overtook, and twice as late each time")
    func overtaken() async throws {
        let outbox = try await Outbox(path: ":memory:")
        try await outbox.keep([entry("lost"), entry("other", topic: "u"), entry("later")], receiptRequests: [], now: start)
        try await outbox.confirm(Confirmation(stored: ["later"]), now: start)
        #expect(try await outbox.due(at: start.advanced(bySeconds: 0.499)).isEmpty)
        #expect(try await outbox.due(at: start.advanced(bySeconds: 0.5)).map(\.id) == ["lost"])
        try await outbox.confirm(Confirmation(stored: ["other"]), now: start)
        for (attempt, wait) in [1.0, 2, 4, 8, 16, 32, 64, 128, 128].enumerated() {
            let time = start.advanced(bySeconds: 1000 * Double(attempt + 1))
            try await outbox.repeated(["lost"], at: time)
            try await outbox.keep([entry("later")], receiptRequests: [], now: time)
            try await outbox.confirm(Confirmation(stored: ["later"]), now: time)
            // What overtakes it next does not put it off.
            try await outbox.keep([entry("latest")], receiptRequests: [], now: time)
            try await outbox.confirm(Confirmation(stored: ["latest"]), now: time.advanced(bySeconds: wait / 2))
            #expect(try await outbox.due(at: time.advanced(bySeconds: wait - 0.001)).map(\.id) == [], "attempt \(attempt)")
            #expect(try await outbox.due(at: time.advanced(bySeconds: wait)).map(\.id) == ["lost"], "attempt \(attempt)")
        }
    }

    @Test("publishes again after a reconnection, and after a start, what was published shortly before")
    func reconnected() async throws {
        let outbox = try await Outbox(path: ":memory:")
        try await outbox.keep([entry("old")], receiptRequests: [], now: start)
        let later = start.advanced(bySeconds: 100)
        try await outbox.keep([entry("new")], receiptRequests: [], now: later)
        try await outbox.connectionReturned(at: later.advanced(bySeconds: 5))
        #expect(try await outbox.due(at: later.advanced(bySeconds: 7)).map(\.id) == ["new"])
        try await outbox.repeated(["new"], at: later.advanced(bySeconds: 7))
        try await outbox.started(at: later.advanced(bySeconds: 8))
        #expect(try await outbox.due(at: later.advanced(bySeconds: 8)).map(\.id) == ["new"])
    }
}

extension Outbox.Finished {
    /// The correlation data as text.
    fileprivate var correlation: String { String(decoding: reply.message?.properties.correlationData ?? [], as: UTF8.self) }
}

/// The number of times that something happened.
private final class EventCount: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .relaxed) }
    func add() { count.add(1, ordering: .relaxed) }
}

/// A clock whose sleeps end at once and are counted.
private struct CountingClock: Clock {
    private let sleeps: EventCount
    init(_ sleeps: EventCount) { self.sleeps = sleeps }
    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { .nanoseconds(1) }
    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        // Cancelled where its test gave up: then whoever sleeps here must not go on for ever.
        try Task.checkCancellation()
        sleeps.add()
        await Task.yield()
    }
}
