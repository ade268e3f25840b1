import MessageBus
import TestSupport
import Testing

/// What a consumer counts and tells, and where it closes a batch, at a broker that sends just what a test wants.
@Suite("A consumer's batches", .timeLimit(.minutes(2)))
struct ConsumerPumpTests {
    private let events = EventLog()

    private func run(
        _ broker: ScriptedBroker, _ limits: BatchLimits = BatchLimits(), _ body: @escaping @Sendable (Consumer) async throws -> Void
    ) async throws {
        let configuration = BrokerConfiguration(
            port: broker.port, clientID: "c", backoff: Backoff(base: .milliseconds(2), maximum: .milliseconds(40)))
        let events = events
        let before = events.count { $0 == .ready }
        let consumer = Consumer(
            configuration: ConsumerConfiguration(broker: configuration, subscriptions: [Subscription("t")], limits: limits),
            onEvent: events.note)
        try await withRunning(consumer) { consumer in
            try await events.waitUntilReady(count: before + 1)
            try await body(consumer)
        }
    }

    private static func messages(_ numbers: ClosedRange<UInt8>) -> [UInt8] {
        numbers.flatMap { ScriptedBroker.message($0, topic: "t", payload: "payload 9") }
    }

    /// The sizes of so many batches, each committed.
    private static func sizes(_ count: Int, of consumer: Consumer) async throws -> [Int] {
        var sizes: [Int] = []
        while sizes.count < count {
            let batch = try await consumer.takeBatch()
            sizes.append(batch.messages.count)
            batch.settle(.committed)
        }
        return sizes
    }

    private func own(_ events: [BusEvent]) -> [String] {
        events.compactMap { event in
            switch event {
            case .batchTaken(let count): "taken \(count)"
            case .batchCommitted(let count, _): "committed \(count)"
            case .acknowledgementsSent: "acknowledged"
            case .batchRejected(let count): "rejected \(count)"
            case .batchOrphaned(let count): "orphaned \(count)"
            case .orphanReleased: "released"
            case .disconnected: "disconnected"
            case .ready: "ready"
            default: nil
            }
        }
    }

    @Test("that are committed are told and counted from their arrival to their acknowledgement")
    func committed() async throws {
        let broker = try ScriptedBroker(ScriptedBroker.obliging)
        let events = events
        try await run(broker) { consumer in
            broker.send(Self.messages(1...3))
            let batch = try await consumer.takeBatch()
            #expect(batch.messages.map(\.packetID) == [1, 2, 3] && batch.messages.allSatisfy { $0.topic == "t" && $0.qos == .atLeastOnce })
            try await events.wait(for: "the hand-over") { $0 == .batchTaken(count: 3) }
            #expect(consumer.counters.received == 3 && consumer.counters.delivered == 3 && consumer.counters.batches == 1)
            #expect(consumer.counters.inFlight == 3 && consumer.counters.acknowledged == 0)
            batch.settle(.committed)
            try await events.wait(for: "the acknowledgements") { $0 == .acknowledgementsSent }
            var expected = ConsumerCounters()
            (expected.received, expected.delivered, expected.batches, expected.acknowledged) = (3, 3, 1, 3)
            #expect(consumer.counters == expected)
        }
        #expect(own(events.events) == ["ready", "taken 3", "committed 3", "acknowledged"])
        #expect(broker.packets.filter { $0.type == ScriptedBroker.acknowledgement }.map(\.identifier) == [[0, 1], [0, 2], [0, 3]])
    }

    @Test("that are given back are told and counted, and nothing of them is acknowledged")
    func rejected() async throws {
        let broker = try ScriptedBroker(ScriptedBroker.obliging)
        let events = events
        try await run(broker) { consumer in
            broker.send(Self.messages(1...2))
            try await consumer.takeBatch().settle(.rejected)
            try await events.waitUntilReady(count: 2)
            var expected = ConsumerCounters()
            (expected.received, expected.delivered, expected.batches) = (2, 2, 1)
            (expected.returned, expected.rejectedBatches, expected.reconnects) = (2, 1, 1)
            #expect(consumer.counters == expected)
        }
        #expect(own(events.events) == ["ready", "taken 2", "rejected 2", "disconnected", "ready"])
        #expect(broker.count(ScriptedBroker.acknowledgement) == 0)
        #expect(
            broker.packets.filter { $0.connection == 1 }.last?.type == ScriptedBroker.disconnect,
            "it says goodbye, so that no will is published")
    }

    @Test("whose connection breaks are told and counted as returned, whatever becomes of them then")
    func orphaned() async throws {
        let broker = try ScriptedBroker(ScriptedBroker.obliging)
        let events = events
        try await run(broker) { consumer in
            broker.send(Self.messages(1...2))
            let batch = try await consumer.takeBatch()
            broker.hangUp()
            try await events.waitUntilReady(count: 2)
            batch.settle(.committed)
            broker.send(Self.messages(7...7))
            let found = try await Self.sizes(1, of: consumer)
            #expect(found == [1])
            try await events.wait(for: "the acknowledgement") { $0 == .acknowledgementsSent }
            var expected = ConsumerCounters()
            (expected.received, expected.delivered, expected.batches) = (3, 3, 2)
            (expected.returned, expected.acknowledged, expected.reconnects) = (2, 1, 1)
            #expect(consumer.counters == expected)
        }
        #expect(
            own(events.events) == [
                "ready", "taken 2", "orphaned 2", "disconnected", "ready", "released", "taken 1", "committed 1", "acknowledged",
            ])
        #expect(broker.packets.filter { $0.type == ScriptedBroker.acknowledgement }.map(\.identifier) == [[0, 7]])
    }

    @Test("that are held open let the next ones follow, and are acknowledged once all of them are settled")
    func heldOpen() async throws {
        let broker = try ScriptedBroker(ScriptedBroker.obliging)
        try await run(broker) { consumer in
            broker.send(Self.messages(1...2))
            let first = try await consumer.takeBatch()
            first.holdOpen()
            async let next = consumer.takeBatch()
            broker.send(Self.messages(3...3))
            let second = try await next
            #expect(second.messages.map(\.packetID) == [3])
            second.settle(.committed)
            #expect(broker.count(ScriptedBroker.acknowledgement) == 0)
            first.settle(.committed)
            try await eventually("the acknowledgements") { broker.count(ScriptedBroker.acknowledgement) == 3 }
            #expect(consumer.counters.acknowledged == 3 && consumer.counters.batches == 2)
        }
    }

    @Test(
        "close at their count, and at the bytes of topics and payloads that they reach",
        // Each message has ten bytes.
        arguments: [
            (BatchLimits(count: 2), [2, 2, 1]), (BatchLimits(count: 5), [5]), (BatchLimits(count: 4), [4, 1]),
            (BatchLimits(count: 1), [1, 1, 1, 1, 1]), (BatchLimits(bytes: 20), [2, 2, 1]), (BatchLimits(bytes: 21), [3, 2]),
            (BatchLimits(bytes: 1), [1, 1, 1, 1, 1]), (BatchLimits(bytes: 50), [5]),
        ])
    func limits(limits: BatchLimits, sizes: [Int]) async throws {
        let broker = try ScriptedBroker(ScriptedBroker.obliging)
        try await run(broker, limits) { consumer in
            broker.send(Self.messages(1...5))
            let found = try await Self.sizes(sizes.count, of: consumer)
            #expect(found == sizes)
        }
    }

    @Test("wait for nothing below the load that is worth it, for no longer than they may above, and not once they are full")
    func gathers() async throws {
        let broker = try ScriptedBroker(ScriptedBroker.obliging)
        try await run(broker, BatchLimits(gather: .seconds(3_600), loaded: 3)) { consumer in
            broker.send(Self.messages(1...2))
            let found = try await Self.sizes(1, of: consumer)
            #expect(found == [2])
        }
        let second = try ScriptedBroker(ScriptedBroker.obliging)
        try await run(second, BatchLimits(gather: .milliseconds(150), loaded: 2)) { consumer in
            let start = ContinuousClock.now
            second.send(Self.messages(1...2))
            let found = try await Self.sizes(1, of: consumer)
            #expect(found == [2])
            #expect(start.duration(to: .now) >= .milliseconds(150))
        }
        let third = try ScriptedBroker(ScriptedBroker.obliging)
        try await run(third, BatchLimits(count: 4, gather: .seconds(3_600), loaded: 1)) { consumer in
            for number in 1...4 as ClosedRange<UInt8> { third.send(Self.messages(number...number)) }
            let found = try await Self.sizes(1, of: consumer)
            #expect(found == [4])
        }
    }

    @Test("lose nothing that a broker sends while it is asked to let a filter go")
    func formerFilters() async throws {
        let broker = try ScriptedBroker(ScriptedBroker.obliging)
        var configuration = ConsumerConfiguration(
            broker: BrokerConfiguration(port: broker.port, clientID: "c"), subscriptions: [Subscription("t")])
        configuration.formerFilters = ["old/#"]
        let events = events
        try await withRunning(Consumer(configuration: configuration, onEvent: events.note)) { consumer in
            try await events.waitUntilReady()
            broker.send(Self.messages(1...1))
            let found = try await Self.sizes(1, of: consumer)
            #expect(found == [1])
        }
        // UNSUBSCRIBE is 10, and comes behind SUBSCRIBE, so that nothing is missed between.
        #expect(broker.packets.map(\.type).prefix(3) == [ScriptedBroker.connect, ScriptedBroker.subscribe, 10])
        #expect(String(decoding: broker.packets[2].body, as: UTF8.self).hasSuffix("old/#"))
    }
}
