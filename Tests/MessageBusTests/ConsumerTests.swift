import MessageBus
import TestSupport
import Testing

@Suite("A consumer", .timeLimit(.minutes(4)))
struct ConsumerTests {
    private let kept = BrokerConfiguration.Session.persistent(expiry: .seconds(3_600))

    @Test("subscribes each filter with its own quality, and shows what was retained")
    func filters() async throws {
        let server = try await MosquittoServer.start()
        try await server.publish([OutgoingMessage(topic: "kept/1", payload: [1], retained: true)])
        let events = EventLog()
        let consumer = Consumer(
            configuration: ConsumerConfiguration(
                broker: server.configuration(clientID: "c"),
                subscriptions: [
                    Subscription("kept/+"), Subscription("fast/#", qos: .atMostOnce), Subscription("kept/1/new", retainHandling: .never),
                ]),
            onEvent: events.note)
        try await withRunning(consumer) { consumer in
            let first = try await consumer.takeMessages(1)
            #expect(first.map(\.retained) == [true])
            try await events.waitUntilReady()
            try await server.publish([
                OutgoingMessage(topic: "fast/2", payload: [2]), OutgoingMessage(topic: "kept/3", payload: [3], retained: true),
            ])
            let rest = try await consumer.takeMessages(2)
            #expect(rest.map(\.topic) == ["fast/2", "kept/3"])
            #expect(rest.map(\.qos) == [.atMostOnce, .atLeastOnce])
            #expect(rest.map(\.retained) == [false, false])
        }
        #expect(events.events.contains(.subscribed(filter: "fast/#", qos: .atMostOnce)))
    }

    @Test("closes a batch at its size in bytes")
    func bytes() async throws {
        let server = try await MosquittoServer.start()
        try await server.openSession("c", "t")
        try await server.publish((0..<20).map { _ in OutgoingMessage(topic: "t", payload: [UInt8](repeating: 1, count: 1_000)) })
        try await withRunning(server.consumer("c", "t", session: kept, limits: BatchLimits(count: 1_000, bytes: 2_500))) { consumer in
            var count = 0
            while count < 20 {
                let batch = try await consumer.takeBatch()
                #expect(batch.messages.count <= 3)
                count += batch.messages.count
                batch.settle(.committed)
            }
        }
    }

    @Test("is sent no packet larger than it takes, whatever strangers put into one, and keeps 64 user properties of a message")
    func largestPacket() async throws {
        let server = try await MosquittoServer.start()
        var broker = server.configuration(clientID: "c")
        broker.maximumPacket = 10_000
        let events = EventLog()
        let consumer = Consumer(
            configuration: ConsumerConfiguration(broker: broker, subscriptions: [Subscription("t")]), onEvent: events.note)
        try await withRunning(consumer) { consumer in
            try await events.waitUntilReady()
            let stranger = try await HostileClient.connected(port: server.port)
            let sent = [5_000, 500, 3].map { count in
                let properties: [MQTTProperty] = (0..<count).map { .user("k", "\($0)") }
                return stranger.publish("t", "\(count)", properties: properties + [.correlation([UInt8](repeating: 1, count: 3_000))])
            }
            try await stranger.acknowledged(sent)
            let taken = try await consumer.takeMessages(2)
            #expect(taken.map { String(decoding: $0.payload, as: UTF8.self) } == ["500", "3"])
            #expect(taken.map(\.properties.userProperties.count) == [64, 3])
            #expect(taken.allSatisfy { $0.properties.correlationData?.count == 2048 })
        }
    }

    @Test("drains: the batch at work is finished and acknowledged, the rest stays at the broker")
    func drains() async throws {
        let server = try await MosquittoServer.start()
        try await server.openSession("c", "t")
        try await server.publish(numbers: 0..<10, to: "t")
        let first = try await withRunning(server.consumer("c", "t", session: kept, limits: BatchLimits(count: 4))) { consumer in
            let batch = try await consumer.takeBatch()
            consumer.drain()
            #expect(try await consumer.batchesAreOver())
            batch.settle(.committed)
            return batch.messages.count
        }
        try await withRunning(server.consumer("c", "t", session: kept)) { consumer in
            let numbers = try await consumer.takeMessages(10 - first).map(\.number)
            #expect(numbers == Array(first..<10))
        }
    }

    @Test("drains a share's connection: what the broker has sent already is taken too, so that nobody waits until it is sent again")
    func finishes() async throws {
        let server = try await MosquittoServer.start()
        var configuration = ConsumerConfiguration(
            broker: server.configuration(clientID: "c", session: kept), subscriptions: [Subscription("t")], limits: BatchLimits(count: 4))
        configuration.finishing = .seconds(30)
        try await server.openSession("c", "t")
        try await server.publish(numbers: 0..<10, to: "t")
        let consumer = Consumer(configuration: configuration)
        try await withRunning(consumer) { consumer in
            var batch = try await consumer.takeBatch()
            consumer.drain()
            // Comes while the last batch is at work, as in a share that others go on publishing to.
            try await server.publish(numbers: 10..<13, to: "t")
            var numbers = batch.messages.map(\.number)
            batch.settle(.committed)
            while numbers.count < 13 {
                batch = try await consumer.takeBatch()
                numbers += batch.messages.map(\.number)
                batch.settle(.committed)
            }
            #expect(numbers == Array(0..<13))
            #expect(try await consumer.batchesAreOver())
        }
        #expect(consumer.counters.returned == 0)
        #expect(consumer.counters.acknowledged == 13)
        try await withRunning(server.consumer("c", "t", session: kept)) { consumer in
            try await server.publish(numbers: 13..<14, to: "t")
            let next = try await consumer.takeMessages(1).map(\.number)
            #expect(next == [13], "everything before was acknowledged")
        }
    }

    @Test("drains a share's connection: what was sent when the broker heard the goodbye is worked on, though nothing acknowledges it")
    func takesLast() async throws {
        let broker = try ScriptedBroker { packet in
            // Sent in the very moment, as by a broker that has not read the goodbye yet.
            guard packet.type == ScriptedBroker.disconnect else { return ScriptedBroker.obliging(packet) }
            return (1...3).flatMap { ScriptedBroker.message($0, topic: "t", payload: "\($0)") }
        }
        var configuration = ConsumerConfiguration(
            broker: BrokerConfiguration(port: broker.port, clientID: "c", session: kept), subscriptions: [Subscription("t")])
        configuration.finishing = .milliseconds(100)
        let events = EventLog()
        let consumer = Consumer(configuration: configuration, onEvent: events.note)
        try await withRunning(consumer) { consumer in
            try await events.waitUntilReady()
            consumer.drain()
            let batch = try await consumer.takeBatch()
            #expect(batch.messages.map(\.payload) == [Array("1".utf8), Array("2".utf8), Array("3".utf8)])
            batch.settle(.committed)
            #expect(try await consumer.batchesAreOver())
        }
        #expect(broker.count(ScriptedBroker.disconnect) == 1)
        #expect(broker.count(ScriptedBroker.acknowledgement) == 0)
        #expect((consumer.counters.received, consumer.counters.returned, consumer.counters.acknowledged) == (3, 3, 0))
    }

    @Test("gives up a filter that an earlier version left in its session, and takes what waited by it")
    func formerFilter() async throws {
        let server = try await MosquittoServer.start()
        try await server.openSession("c", "t/#")
        try await server.publish(numbers: 0..<3, to: "t/own")
        var configuration = ConsumerConfiguration(
            broker: server.configuration(clientID: "c", session: kept), subscriptions: [Subscription("t/others")])
        configuration.formerFilters = ["t/#", "never/subscribed"]
        let events = EventLog()
        try await withRunning(Consumer(configuration: configuration, onEvent: events.note)) { consumer in
            // What waited comes before the subscriptions are granted, and has to be taken for that to be read.
            let numbers = try await consumer.takeMessages(3).map(\.number)
            #expect(numbers == [0, 1, 2])
            try await events.waitUntilReady()
        }
        // Whoever takes the session over is sent by what it is still subscribed to.
        try await server.publish(numbers: 3..<6, to: "t/own")
        try await server.publish(numbers: 6..<8, to: "t/others")
        try await withRunning(server.consumer("c", session: kept)) { consumer in
            let numbers = try await consumer.takeMessages(2).map(\.number)
            #expect(numbers == [6, 7])
        }
    }

    @Test("when cancelled, gives the batch at work back")
    func cancelled() async throws {
        let server = try await MosquittoServer.start()
        try await server.openSession("c", "t")
        try await server.publish(numbers: 0..<3, to: "t")
        let consumer = server.consumer("c", "t", session: kept)
        let batch = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await consumer.run() }
            let batch = try await consumer.takeBatch()
            group.cancelAll()
            try await group.waitForAll()
            return batch
        }
        batch.settle(.committed)
        try await withRunning(server.consumer("c", "t", session: kept)) { consumer in
            let numbers = try await consumer.takeMessages(3).map(\.number)
            #expect(numbers == [0, 1, 2])
        }
    }

    @Test("waits for a broker that is not there yet, and stops waiting when asked to")
    func notThere() async throws {
        let server = try await MosquittoServer.start()
        try await server.stop()
        let events = EventLog()
        try await withRunning(server.consumer("c", "t", onEvent: events.note)) { _ in
            try await events.wait(for: "attempts", count: 3) { if case .reconnecting = $0 { true } else { false } }
            try await server.start()
            try await events.waitUntilReady()
        }
        try await server.stop()
        let more = EventLog()
        try await withRunning(server.consumer("c", "t", onEvent: more.note)) { _ in
            try await more.wait(for: "an attempt") { if case .reconnecting = $0 { true } else { false } }
        }
        #expect(!more.events.contains(.ready))
    }

    @Test("survives a broker's restart, graceful or not, and loses nothing that was queued", arguments: [false, true])
    func restart(killed: Bool) async throws {
        let server = try await MosquittoServer.start()
        try await server.openSession("c", "t")
        let events = EventLog()
        try await withRunning(server.consumer("c", "t", session: kept, onEvent: events.note)) { consumer in
            try await events.waitUntilReady()
            if killed { try await server.kill() } else { try await server.stop() }
            try await server.start()
            try await events.waitUntilReady(count: 2)
            try await server.publish(numbers: 0..<5, to: "t")
            let numbers = try await consumer.takeMessages(5).map(\.number)
            #expect(numbers == [0, 1, 2, 3, 4])
            #expect(consumer.counters.reconnects >= 1)
        }
    }

    @Test(
        "tries again, and says so, where a subscription is refused for a reason that may pass",
        arguments: [BrokerConfiguration.ProtocolVersion.v5, .v311])
    func refusedForNow(version: BrokerConfiguration.ProtocolVersion) async throws {
        // As a cluster answers that has no leader yet.
        let broker = try ScriptedBroker { packet in
            let code: UInt8 = packet.connection < 3 ? 0x80 : 1
            return switch packet.type {
            case ScriptedBroker.connect: version == .v5 ? ScriptedBroker.accepted() : ScriptedBroker.acceptedV311()
            case ScriptedBroker.subscribe:
                version == .v5 ? ScriptedBroker.granted(packet, reason: code) : ScriptedBroker.grantedV311(packet, code: code)
            default: []
            }
        }
        let events = EventLog()
        let configuration = BrokerConfiguration(port: broker.port, clientID: "c", protocolVersion: version)
        let consumer = Consumer(
            configuration: ConsumerConfiguration(broker: configuration, subscriptions: [Subscription("own")]), onEvent: events.note)
        try await withRunning(consumer) { _ in try await events.waitUntilReady() }
        #expect(events.events.count { $0 == .subscriptionRefused(filter: "own", reason: 0x80) } == 2)
    }

    @Test("ends with an error when a subscription is not allowed at first")
    func refusedSubscription() async throws {
        let broker = try ScriptedBroker { packet in
            switch packet.type {
            case ScriptedBroker.connect: ScriptedBroker.accepted()
            case ScriptedBroker.subscribe: ScriptedBroker.granted(packet, reason: 0x87)
            default: []
            }
        }
        let events = EventLog()
        let consumer = Consumer(
            configuration: ConsumerConfiguration(
                broker: BrokerConfiguration(port: broker.port, clientID: "c"), subscriptions: [Subscription("secret")]),
            onEvent: events.note)
        let error = await #expect(throws: BusError.self) { try await consumer.run() }
        #expect(error?.code == .notAuthorized)
        #expect(error?.operation == .subscribe)
        #expect(error?.detail.contains("secret") == true)
        #expect(events.events.contains { if case .subscriptionRefused("secret", _) = $0 { true } else { false } })
        await #expect(throws: BusError.self) { try await consumer.takeBatch() }
    }

    @Test("falls back to MQTT 3.1.1 with a broker that knows no other")
    func fallsBack() async throws {
        let broker = try ScriptedBroker { packet in
            switch packet.type {
            // The byte after the protocol's name is its level.
            case ScriptedBroker.connect where packet.body[6] == 5: ScriptedBroker.acceptedV311(code: 1)
            case ScriptedBroker.connect: ScriptedBroker.acceptedV311()
            case ScriptedBroker.subscribe: ScriptedBroker.grantedV311(packet)
            default: []
            }
        }
        let events = EventLog()
        let consumer = Consumer(
            configuration: ConsumerConfiguration(
                broker: BrokerConfiguration(port: broker.port, clientID: "c"), subscriptions: [Subscription("t")]), onEvent: events.note)
        try await withRunning(consumer) { _ in try await events.waitUntilReady() }
        #expect(events.events.contains(.fellBackTo311))
        #expect(events.events.contains(.brokerLacks(.protocol311)))
    }

    @Test("works over MQTT 3.1.1, with held acknowledgements")
    func v311() async throws {
        let server = try await MosquittoServer.start()
        let events = EventLog()
        let broker = server.configuration(clientID: "c", session: kept, version: .v311)
        let configuration = ConsumerConfiguration(broker: broker, subscriptions: [Subscription("t")])
        try await withRunning(Consumer(configuration: configuration, onEvent: events.note)) { _ in try await events.waitUntilReady() }
        try await server.publish(numbers: 0..<30, to: "t")
        try await withRunning(Consumer(configuration: configuration)) { consumer in
            try await consumer.takeBatch().settle(.rejected)
            let numbers = try await consumer.takeMessages(30).map(\.number)
            #expect(numbers == Array(0..<30))
        }
    }

    @Test("returns nothing to a task that was cancelled, and serves the next one")
    func cancelledIteration() async throws {
        let server = try await MosquittoServer.start()
        let events = EventLog()
        try await withRunning(server.consumer("c", "t", onEvent: events.note)) { consumer in
            try await events.waitUntilReady()
            let isOver = try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask { try await consumer.batchesAreOver() }
                group.cancelAll()
                return try await group.next() ?? false
            }
            #expect(isOver)
            try await server.publish(numbers: 1..<2, to: "t")
            let numbers = try await consumer.takeMessages(1).map(\.number)
            #expect(numbers == [1])
        }
    }

    @Test("has its last will published when it dies, not when it leaves or rejects")
    func lastWill() async throws {
        let server = try await MosquittoServer.start()
        let events = EventLog()
        try await withRunning(server.consumer("watcher", "wills/#", onEvent: events.note)) { watcher in
            try await events.waitUntilReady()
            try await server.openSession("victim", "t")
            var broker = server.configuration(clientID: "polite", session: kept)
            broker.lastWill = OutgoingMessage(topic: "wills/polite", payload: [])
            let politeEvents = EventLog()
            let polite = Consumer(
                configuration: ConsumerConfiguration(broker: broker, subscriptions: [Subscription("t")]), onEvent: politeEvents.note)
            try await server.publish(numbers: 0..<1, to: "t")
            let process = try BusFixture.start(server, client: "victim", filter: "t")
            try await eventually("a held batch") { process.output.contains("holding") }
            try await withRunning(polite) { polite in
                // What is published before its subscription stands never comes.
                try await politeEvents.waitUntilReady()
                try await server.publish(numbers: 1..<2, to: "t")
                try await polite.takeBatch().settle(.rejected)
                _ = try await polite.takeMessages(1)
            }
            process.signal(9)
            let wills = try await watcher.takeMessages(1)
            #expect(wills.map(\.topic) == ["wills/victim"])
            #expect(wills.map(\.text) == ["gone"])
        }
    }

    @Test("receives from mosquitto_pub, and a publisher reaches mosquitto_sub")
    func interoperates() async throws {
        let server = try await MosquittoServer.start()
        let events = EventLog()
        try await withRunning(server.consumer("c", "in/#", onEvent: events.note)) { consumer in
            try await events.waitUntilReady()
            let arguments = [
                "-p", String(server.port), "-V", "5", "-t", "in/a", "-q", "1", "-m", "hello", "-D", "publish", "content-type", "text/plain",
            ]
            try await ChildProcess.run("/usr/bin/mosquitto_pub", arguments, in: server.folder)
            let message = try await consumer.takeMessages(1).first
            #expect(message?.text == "hello")
            #expect(message?.properties.contentType == "text/plain")
        }
        let subscriber = try ChildProcess(
            "/usr/bin/mosquitto_sub", ["-p", String(server.port), "-V", "5", "-t", "out", "-C", "1", "-F", "%C %p"],
            output: server.folder.path("sub.log"))
        let message = OutgoingMessage(topic: "out", payload: Array("world".utf8), properties: MessageProperties(contentType: "text/x"))
        try await eventually("mosquitto_sub") {
            try await server.publish([message])
            return subscriber.hasEnded
        }
        #expect(subscriber.output == "text/x world\n")
    }
}

extension Consumer {
    /// Returns whether asking for a batch returns none.
    func batchesAreOver() async throws -> Bool {
        var iterator = batches.makeAsyncIterator()
        return try await iterator.next() == nil
    }
}
