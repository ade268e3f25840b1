import Foundation
import MessageBus
import TestSupport
import Testing

/// The numbered rules of the delivery promise, each against a broker.
@Suite("Delivery", .timeLimit(.minutes(4)))
struct DeliveryRuleTests {
    private let kept = BrokerConfiguration.Session.persistent(expiry: .seconds(3_600))

    private func scripted(_ broker: ScriptedBroker, onEvent: @escaping @Sendable (BusEvent) -> Void = { _ in }) -> Consumer {
        // On a slow machine a test takes a while to notice a connection, which must not count as one that works.
        let backoff = Backoff(base: .milliseconds(2), maximum: .milliseconds(40), resetAfter: .seconds(3600))
        let configuration = BrokerConfiguration(port: broker.port, clientID: "c", keepAlive: .seconds(5), backoff: backoff)
        return Consumer(configuration: ConsumerConfiguration(broker: configuration, subscriptions: [Subscription("t")]), onEvent: onEvent)
    }

    @Test("1: acknowledges nothing while a batch is unsettled, and all of it afterwards")
    func nothingWritten() async throws {
        let broker = try ScriptedBroker(ScriptedBroker.obliging)
        let events = EventLog()
        try await withRunning(scripted(broker, onEvent: events.note)) { consumer in
            try await events.waitUntilReady()
            broker.send((1...3).flatMap { ScriptedBroker.message($0, topic: "t", payload: "x") })
            let batch = try await consumer.takeBatch()
            broker.send(ScriptedBroker.message(4, topic: "t", payload: "later"))
            // The ping proves that time has passed and that the connection could have been written to.
            try await eventually("a ping") { broker.count(ScriptedBroker.ping) > 0 }
            #expect(broker.count(ScriptedBroker.acknowledgement) == 0)
            batch.settle(.committed)
            try await eventually("the acknowledgements") { broker.count(ScriptedBroker.acknowledgement) == batch.messages.count }
        }
    }

    @Test("2: publishes while a batch is held, for that has a connection of its own")
    func ownConnection() async throws {
        let server = try await MosquittoServer.start()
        try await server.openSession("c", "t")
        try await server.publish(numbers: 0..<3, to: "t")
        try await withRunning(server.consumer("c", "t", session: kept)) { consumer in
            let batch = try await consumer.takeBatch()
            try await server.publish(numbers: 0..<100, to: "elsewhere")
            #expect(consumer.counters.acknowledged == 0)
            batch.settle(.committed)
        }
    }

    @Test("3: gets a rejected batch again, every message of it, over a new connection")
    func rejected() async throws {
        let server = try await MosquittoServer.start()
        try await server.openSession("c", "t")
        try await server.publish(numbers: 0..<50, to: "t")
        let events = EventLog()
        let consumer = server.consumer("c", "t", session: kept, onEvent: events.note)
        try await withRunning(consumer) { consumer in
            let batch = try await consumer.takeBatch()
            let first = batch.messages.compactMap(\.number)
            batch.settle(.rejected)
            let again = try await consumer.takeMessages(50).compactMap(\.number)
            #expect(first == Array(0..<first.count))
            #expect(again == Array(0..<50))
            #expect(events.events.contains(.batchRejected(count: first.count)))
            try await eventually("the acknowledgements") { consumer.counters.acknowledged == 50 }
            #expect(consumer.counters.returned == first.count)
            #expect(consumer.counters.inFlight == 0)
        }
    }

    @Test("3: backs off further each time a poisonous batch is rejected")
    func poison() async throws {
        let server = try await MosquittoServer.start()
        try await server.openSession("c", "t")
        try await server.publish(numbers: 0..<1, to: "t")
        let events = EventLog()
        try await withRunning(server.consumer("c", "t", session: kept, onEvent: events.note)) { consumer in
            for _ in 0..<4 { try await consumer.takeBatch().settle(.rejected) }
            #expect(try await consumer.takeMessages(1).map(\.number) == [0])
        }
        #expect(events.attempts == [1, 2, 3, 4])
    }

    @Test("3: gets a batch again that was let go without settling, as when the work throws")
    func letGo() async throws {
        let server = try await MosquittoServer.start()
        try await server.openSession("c", "t")
        try await server.publish(numbers: 0..<5, to: "t")
        try await withRunning(server.consumer("c", "t", session: kept)) { consumer in
            _ = try await consumer.takeBatch()
            #expect(try await consumer.takeMessages(5).map(\.number) == [0, 1, 2, 3, 4])
        }
    }

    @Test("4 and 8: keeps its connection while a batch is held for longer than the keep-alive", arguments: [false, true])
    func heldForLong(tls: Bool) async throws {
        let certificates = try await TestCertificates()
        let server = try await MosquittoServer.start(
            extra: "log_type all\n", access: tls ? .tls(certificates, clientCertificate: false) : .anonymous)
        try await server.openSession("c", "t")
        try await server.publish(numbers: 0..<20, to: "t")
        let events = EventLog()
        var broker = server.configuration(clientID: "c", session: kept)
        broker.keepAlive = .seconds(5)
        let consumer = Consumer(
            configuration: ConsumerConfiguration(broker: broker, subscriptions: [Subscription("t")]), onEvent: events.note)
        try await withRunning(consumer) { consumer in
            let batch = try await consumer.takeBatch()
            // Four pings, two in each keep-alive, are ten seconds: the broker drops a silent client after seven and a half.
            try await eventually(within: .seconds(60), "four pings") { server.log.count(of: "Received PINGREQ from c\n") >= 4 }
            batch.settle(.committed)
            #expect(try await consumer.takeMessages(20 - batch.messages.count).count == 20 - batch.messages.count)
            try await server.publish(numbers: 20..<21, to: "t")
            #expect(try await consumer.takeMessages(1).map(\.number) == [20])
            #expect(consumer.counters.reconnects == 0)
        }
        #expect(!events.events.contains { if case .disconnected = $0 { true } else { false } })
        // A certificate in DER begins as a sequence of more than 255 bytes.
        #expect(
            events.events.contains {
                if case .connected(let info) = $0 { info.certificate.starts(with: [0x30, 0x82]) == tls } else { false }
            })
        #expect(server.log.count(of: "Received PUBACK from c ") == 21)
    }

    @Test("5: tells the broker its Receive Maximum and the session's expiry")
    func receiveMaximumIsSent() async throws {
        let broker = try ScriptedBroker(ScriptedBroker.obliging)
        let events = EventLog()
        let configuration = BrokerConfiguration(port: broker.port, clientID: "c", session: .persistent(expiry: .seconds(600)))
        let consumer = Consumer(
            configuration: ConsumerConfiguration(broker: configuration, subscriptions: [Subscription("t")], receiveMaximum: 7),
            onEvent: events.note)
        try await withRunning(consumer) { _ in try await events.waitUntilReady() }
        let connect = try #require(broker.packets.first { $0.type == ScriptedBroker.connect })
        // After name, level, flags (no clean start) and keep-alive: 8 bytes of properties, expiry 0x11 and maximum 0x21.
        #expect(connect.body.prefix(8) == [0, 4, 77, 81, 84, 84, 5, 0])
        #expect(Set([connect.body[11..<16], connect.body[16..<19]]) == [[0x11, 0, 0, 2, 0x58], [0x21, 0, 7]])
    }

    @Test("5: never makes a batch larger than its limits, whatever the broker has on the way")
    func limits() async throws {
        let server = try await MosquittoServer.start()
        try await server.openSession("c", "t")
        try await server.publish(numbers: 0..<100, to: "t")
        try await withRunning(server.consumer("c", "t", session: kept, limits: BatchLimits(count: 7))) { consumer in
            var numbers: [Int?] = []
            while numbers.count < 100 {
                // Mosquitto 2.0.11 sends several times the Receive Maximum from a queue, so the limits have to hold by themselves.
                let batch = try await consumer.takeBatch()
                #expect(batch.messages.count <= 7)
                numbers += batch.messages.map(\.number)
                batch.settle(.committed)
            }
            #expect(numbers == Array(0..<100))
        }
    }

    @Test("5: warns of a broker that visibly lacks what the shipped configuration has")
    func brokerLacks() async throws {
        let server = try await MosquittoServer.start(settings: "retain_available false\nmax_packet_size 65536\n")
        let events = EventLog()
        try await withRunning(server.consumer("c", "t", onEvent: events.note)) { _ in try await events.waitUntilReady() }
        let found = events.events.compactMap { if case .brokerLacks(let what) = $0 { what } else { nil } }
        #expect(found == [.noRetainedMessages, .smallReceiveMaximum(20), .smallPackets(maximum: 65_536)])
    }

    @Test("5: finds nothing to warn of in the shipped configuration")
    func shippedConfiguration() async throws {
        let server = try await MosquittoServer.start()
        let events = EventLog()
        try await withRunning(server.consumer("c", "t", session: kept, onEvent: events.note)) { _ in try await events.waitUntilReady() }
        #expect(!events.events.contains { if case .brokerLacks = $0 { true } else { false } })
    }

    @Test("6: never gets a committed message again, whatever was in it")
    func committedOnce() async throws {
        let server = try await MosquittoServer.start()
        try await server.openSession("c", "t")
        try await server.publish([OutgoingMessage(topic: "t", payload: [0xFF, 0, 0xFE]), OutgoingMessage(topic: "t", payload: [])])
        try await withRunning(server.consumer("c", "t", session: kept)) { consumer in
            let payloads = try await consumer.takeMessages(2).map(\.payload)
            #expect(payloads == [[0xFF, 0, 0xFE], []])
        }
        try await server.publish(numbers: 7..<8, to: "t")
        try await withRunning(server.consumer("c", "t", session: kept)) { consumer in
            let numbers = try await consumer.takeMessages(1).map(\.number)
            #expect(numbers == [7])
        }
    }

    @Test("7: backs off from a broker that accepts and hangs up")
    func kicked() async throws {
        let broker = try ScriptedBroker(ScriptedBroker.obliging)
        let events = EventLog()
        try await withRunning(scripted(broker, onEvent: events.note)) { _ in
            for count in 1...5 {
                try await events.waitUntilReady(count: count)
                broker.hangUp()
            }
            try await events.waitUntilReady(count: 6)
        }
        #expect(events.attempts == [1, 2, 3, 4, 5])
    }

    @Test("7: loses nothing where one read delivers several packets, under TLS")
    func tlsRecords() async throws {
        let server = try await MosquittoServer.start(access: .tls(TestCertificates(), clientCertificate: false))
        try await server.openSession("c", "t")
        try await server.publish(numbers: 0..<600, to: "t")
        try await withRunning(server.consumer("c", "t", session: kept, limits: BatchLimits(count: 3))) { consumer in
            let numbers = try await consumer.takeMessages(600).map(\.number)
            #expect(numbers == Array(0..<600))
            try await eventually("the acknowledgements") { consumer.counters.acknowledged == 600 }
            #expect(consumer.counters.reconnects == 0)
        }
    }

    @Test("8: reads nothing more while a batch is held, however much is published")
    func bounded() async throws {
        let server = try await MosquittoServer.start()
        try await server.openSession("c", "t")
        try await server.publish(numbers: 0..<10, to: "t")
        try await withRunning(server.consumer("c", "t", session: kept, limits: BatchLimits(count: 5))) { consumer in
            let batch = try await consumer.takeBatch()
            try await server.publish(numbers: 10..<1_000, to: "t")
            #expect(consumer.counters.received == batch.messages.count)
            #expect(batch.messages.count <= 5)
            batch.settle(.committed)
            let rest = try await consumer.takeMessages(1_000 - batch.messages.count).map(\.number)
            #expect(rest == Array(batch.messages.count..<1_000))
        }
    }

    @Test("8: gets a batch again whose connection broke while it was held, and settles it once")
    func brokenWhileHeld() async throws {
        let server = try await MosquittoServer.start()
        try await server.openSession("c", "t")
        try await server.publish(numbers: 0..<10, to: "t")
        let events = EventLog()
        try await withRunning(server.consumer("c", "t", session: kept, onEvent: events.note)) { consumer in
            let batch = try await consumer.takeBatch()
            try await server.stop()
            try await events.wait(for: "the loss") { if case .batchOrphaned = $0 { true } else { false } }
            try await server.start()
            batch.settle(.committed)
            #expect(try await consumer.takeMessages(10).map(\.number) == Array(0..<10))
            try await eventually("the acknowledgements") { consumer.counters.acknowledged == 10 }
            #expect(consumer.counters.returned == batch.messages.count)
            #expect(consumer.counters.inFlight == 0)
        }
    }

    @Test("gets every message of a batch again when the process was killed inside it")
    func killed() async throws {
        let server = try await MosquittoServer.start()
        try await server.openSession("victim", "t")
        try await server.publish(numbers: 0..<200, to: "t")
        let process = try BusFixture.start(server, client: "victim", filter: "t")
        try await eventually("a held batch") { process.output.contains("holding") }
        process.signal(9)
        #expect(try await process.waitForExit() == -9)
        try await withRunning(server.consumer("victim", "t", session: kept)) { consumer in
            let numbers = try await consumer.takeMessages(200).map(\.number)
            #expect(numbers == Array(0..<200))
        }
    }
}

extension EventLog {
    /// The attempts announced, in order.
    var attempts: [Int] {
        events.compactMap { if case .reconnecting(let attempt, _) = $0 { attempt } else { nil } }
    }
}

extension String {
    /// Counts how often a text occurs.
    func count(of text: String) -> Int { components(separatedBy: text).count - 1 }
}
