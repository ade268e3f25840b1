import MessageBus
import TestSupport
import Testing

@Suite("What is on its way when a connection ends or goes on", .timeLimit(.minutes(2)))
struct HeldBatchTests {
    private func consumer(_ broker: ScriptedBroker, _ events: EventLog) -> Consumer {
        let backoff = Backoff(base: .milliseconds(2), maximum: .milliseconds(40), resetAfter: .seconds(3600))
        let configuration = BrokerConfiguration(port: broker.port, clientID: "c", backoff: backoff)
        return Consumer(
            configuration: ConsumerConfiguration(broker: configuration, subscriptions: [Subscription("t")]), onEvent: events.note)
    }

    @Test("a keep-alive that the broker asks for is heeded while a batch is held")
    func serverKeepAlive() async throws {
        let broker = try ScriptedBroker { packet in
            packet.type == ScriptedBroker.connect ? [0x20, 6, 0, 0, 3, 0x13, 0, 1] : ScriptedBroker.obliging(packet)
        }
        let events = EventLog()
        try await withRunning(consumer(broker, events)) { consumer in
            try await events.waitUntilReady()
            broker.send(ScriptedBroker.message(1, topic: "t", payload: "x"))
            let batch = try await consumer.takeBatch()
            let before = broker.count(ScriptedBroker.ping)
            // By the configured keep-alive there would be none for half a minute.
            try await eventually(within: .seconds(10), "two pings") { broker.count(ScriptedBroker.ping) >= before + 2 }
            #expect(broker.count(ScriptedBroker.acknowledgement) == 0)
            batch.settle(.committed)
            try await eventually("the acknowledgement") { broker.count(ScriptedBroker.acknowledgement) == 1 }
        }
        #expect(broker.connections == 1)
    }

    @Test("a batch that is given back takes the one with it that is held open before it: both come again, and both count as returned")
    func heldOpen() async throws {
        let broker = try ScriptedBroker(ScriptedBroker.obliging)
        let events = EventLog()
        try await withRunning(consumer(broker, events)) { consumer in
            try await events.waitUntilReady()
            broker.send(ScriptedBroker.message(1, topic: "t", payload: "x"))
            let held = try await consumer.takeBatch()
            held.holdOpen()
            broker.send(ScriptedBroker.message(2, topic: "t", payload: "y"))
            try await consumer.takeBatch().settle(.rejected)
            try await events.waitUntilReady(count: 2)
            #expect(events.events.contains(.batchRejected(count: 1)))
            #expect(consumer.counters.returned == 2 && consumer.counters.rejectedBatches == 1 && consumer.counters.inFlight == 0)
            held.settle(.committed)
            try await eventually("the end of the work on it") { events.events.contains(.orphanReleased) }
            #expect(consumer.counters.acknowledged == 0 && broker.count(ScriptedBroker.acknowledgement) == 0)
        }
    }

    @Test("a message that was read and that nobody had asked for counts as returned when the connection breaks, and as no lost batch")
    func unasked() async throws {
        let broker = try ScriptedBroker { packet in
            guard packet.type == ScriptedBroker.subscribe, packet.connection == 1 else { return ScriptedBroker.obliging(packet) }
            // A session's message may come before the answer to the subscription.
            return ScriptedBroker.message(1, topic: "t", payload: "x")
        }
        let events = EventLog()
        try await withRunning(consumer(broker, events)) { consumer in
            try await eventually("the message") { consumer.counters.received == 1 }
            broker.hangUp()
            try await events.waitUntilReady()
            #expect(consumer.counters.returned == 1 && consumer.counters.delivered == 0 && consumer.counters.inFlight == 0)
            #expect(!events.events.contains { if case .batchOrphaned = $0 { true } else { false } })
        }
    }

    @Test("a publisher has a hundred messages on their way to a broker that takes its time")
    func many() async throws {
        let broker = try ScriptedBroker { $0.type == ScriptedBroker.publish ? [] : ScriptedBroker.obliging($0) }
        let configuration = BrokerConfiguration(port: broker.port, clientID: "p")
        let publisher = Publisher(configuration: PublisherConfiguration(broker: configuration))
        try await withRunning(publisher) { publisher in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in UInt8(0)..<100 {
                    group.addTask { try await publisher.publish(OutgoingMessage(topic: "t", payload: [number])) }
                }
                try await eventually("all of them") { broker.count(ScriptedBroker.publish) == 100 }
                #expect(publisher.counters.inFlight == 100)
                for packet in broker.packets where packet.type == ScriptedBroker.publish {
                    broker.send(ScriptedBroker.acknowledged(packet))
                }
                try await group.waitForAll()
            }
            #expect(publisher.counters.delivered == 100)
        }
    }
}
