import Foundation
import MessageBus
import Observability
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import SensorIngest

@Suite("What the outbox publishes again, and what it keeps of people", .timeLimit(.minutes(1)))
struct OutboxBoundTests {
    private static let start = Timestamp(seconds: 1_700_000_000)

    private func at(_ seconds: Double) -> Timestamp { Self.start.advanced(bySeconds: seconds) }

    /// Keeps batches that were published at so many seconds, which are their names.
    private func keep(_ seconds: [Double], in outbox: Outbox) async throws {
        for second in seconds {
            try await outbox.keep([OutboxEntry(id: "\(second)", topic: "t", payload: [1])], receiptRequests: [], now: at(second))
        }
    }

    // MARK: Again

    @Test("once the connection is back: what was published within the minute before")
    func returned() async throws {
        let outbox = try await Outbox(path: ":memory:")
        try await keep([0, 1, 2], in: outbox)
        try await outbox.connectionReturned(at: at(61))
        #expect(try await outbox.due(at: at(62.9)).isEmpty)
        #expect(try await outbox.due(at: at(63)).map(\.id) == ["1.0", "2.0"])
    }

    @Test("after a start: what was published within the minute before the last")
    func started() async throws {
        let outbox = try await Outbox(path: ":memory:")
        try await keep([0, 1, 61], in: outbox)
        try await outbox.started(at: at(62))
        #expect(try await outbox.due(at: at(62)).map(\.id) == ["1.0", "61.0"])
    }

    @Test("sixteen batches at once, in their order")
    func few() async throws {
        let outbox = try await Outbox(path: ":memory:")
        try await keep((0..<17).map(Double.init), in: outbox)
        #expect(try await outbox.due(at: at(700)).map(\.id) == (0..<16).map { "\(Double($0))" })
    }

    // MARK: The repeater

    /// Runs the repeater, and looks at it once it has looked for the first time.
    private func run(
        _ outbox: Outbox, stamps: ArrivalStamps = ArrivalStamps(), publisher: InMemoryPublisher = InMemoryPublisher(),
        now: @escaping @Sendable () -> Timestamp = { OutboxBoundTests.start },
        _ body: (_ look: () async throws -> Void) async throws -> Void
    ) async throws {
        let clock = SteppingClock(0)
        let repeater = OutboxRepeater(
            outbox: outbox, link: OutboxLink(), stamps: stamps, publisher: publisher,
            metrics: OutboxMetrics(MetricsRegistry()), log: Logger(service: "test", level: .error, sink: { _ in }), clock: clock,
            now: now)
        let running = Task { try await repeater.run() }
        defer { running.cancel() }
        try await eventually("the first look") { clock.steps.count == 1 }
        try await body {
            let before = clock.steps.count
            clock.allow(1)
            try await eventually("the next look") { clock.steps.count == before + 1 }
        }
        running.cancel()
        try await running.value
    }

    @Test("a clock that went on and is then set back by more than a second is noticed")
    func setBack() async throws {
        let outbox = try await Outbox(path: ":memory:"), publisher = InMemoryPublisher()
        let time = Mutex(at(0))
        try await run(outbox, publisher: publisher, now: { time.withLock { $0 } }) { look in
            time.withLock { $0 = at(100) }
            try await look()
            try await keep([100], in: outbox)
            time.withLock { $0 = at(98.5) }
            try await look()
            #expect(publisher.messages.map(\.topic) == ["t"])
        }
    }

    @Test("stamps of messages that do not come again are taken from the disk")
    func stale() async throws {
        let outbox = try await Outbox(path: ":memory:")
        let keys = (UInt16(1)...2).map { ArrivalStamps.Key(packet: $0, digest: 7) }
        try await outbox.keep(
            [], receiptRequests: [], stamps: [keys[0]: at(0), keys[1]: at(1)], now: at(1))
        let stamps = ArrivalStamps(pending: try await outbox.stamps())
        try await run(outbox, stamps: stamps) { look in
            #expect(try await outbox.stamps().count == 2)
            stamps.connected(keepingSession: false)
            try await look()
            #expect(try await outbox.stamps().isEmpty)
        }
    }

    @Test("stamps that are replaced leave those that are no longer known, in the same turn")
    func replaced() async throws {
        let outbox = try await Outbox(path: ":memory:")
        let keys = (UInt16(1)...3).map { ArrivalStamps.Key(packet: $0, digest: 7) }
        try await outbox.keep([], receiptRequests: [], stamps: [keys[0]: at(0), keys[1]: at(1)], now: at(1))
        try await outbox.keep([], receiptRequests: [], stamps: [keys[2]: at(2)], stale: [keys[0]], now: at(2))
        #expect(try await outbox.stamps() == [keys[1]: at(1), keys[2]: at(2)])
        try await outbox.forget(stamps: [keys[1]])
        #expect(try await outbox.stamps() == [keys[2]: at(2)])
    }

    // MARK: Erasure

    /// Returns whether a database's file or its log holds a name.
    private func holds(_ name: String, _ path: String) -> Bool {
        ["", "-wal"].contains { ending in
            FileManager.default.contents(atPath: path + ending).map { $0.range(of: Data(name.utf8)) != nil } ?? false
        }
    }

    @Test("of who is erased no byte is left in the outbox's file or in its log")
    func erasedWishes() async throws {
        let folder = try TemporaryFolder(), path = folder.path("outbox.sqlite")
        let outbox = try await Outbox(path: path)
        let request = ReceiptRequest(
            topic: "vigil/v1/receipts/anna-lena/watch", correlation: nil, isInPayload: false, accepted: 1, refused: 0, unstored: 0,
            reason: nil)
        let entry = OutboxEntry(id: "a", topic: "t", payload: [1], receiptRequests: [ReceiptCoverage(request: 0)])
        try await outbox.keep([entry], receiptRequests: [request], now: at(0))
        #expect(holds("anna-lena", path))
        #expect(try await outbox.erase(participant: "anna-lena").wishes == 1)
        #expect(!holds("anna-lena", path))
    }

    @Test("of who is erased no byte is left in the registry's file or in its log")
    func erasedDevices() async throws {
        let folder = try TemporaryFolder(), path = folder.path("devices.sqlite")
        let registry = try DeviceRegistry(path: path)
        try await registry.setQuarantined(DeviceAddress(participant: "anna-lena", device: "watch"), true, now: at(0))
        try await registry.bind("ring", to: "anna-lena")
        #expect(holds("anna-lena", path))
        #expect(try await registry.erase(participant: "anna-lena") == 2)
        #expect(!holds("anna-lena", path))
    }
}
