import MessageBus
import TestSupport
import Testing

@Suite("What a connection says to the broker", .timeLimit(.minutes(2)))
struct WirePacketTests {
    /// The fields of CONNECT.
    private struct Greeting {
        let level: UInt8
        let flags: UInt8
        let keepAlive: Int
        /// By their identifiers.
        var properties: [UInt8: [UInt8]] = [:]
        /// What follows them.
        let rest: [UInt8]

        init(_ body: [UInt8]) {
            (level, flags, keepAlive) = (body[6], body[7], Int(body[8]) << 8 | Int(body[9]))
            guard level == 5 else {
                rest = Array(body[10...])
                return
            }
            let end = 11 + Int(body[10])
            var index = 11
            while index < end {
                let size = [0x11: 4, 0x21: 2, 0x22: 2, 0x27: 4][body[index]] ?? 1
                properties[body[index]] = Array(body[index + 1...index + size])
                index += 1 + size
            }
            rest = Array(body[end...])
        }
    }

    private func text(_ text: String) -> [UInt8] { [0, UInt8(text.utf8.count)] + Array(text.utf8) }

    private func obliging(_ version: BrokerConfiguration.ProtocolVersion) throws -> ScriptedBroker {
        try ScriptedBroker { packet in
            guard version == .v311 else { return ScriptedBroker.obliging(packet) }
            return switch packet.type {
            case ScriptedBroker.connect: ScriptedBroker.acceptedV311()
            case ScriptedBroker.subscribe: ScriptedBroker.grantedV311(packet)
            case ScriptedBroker.publish where packet.flags & 0x06 != 0: [0x40, 2] + packet.identifier
            default: []
            }
        }
    }

    private func greeting(
        _ version: BrokerConfiguration.ProtocolVersion = .v5, _ change: (inout BrokerConfiguration) -> Void
    ) async throws -> Greeting {
        let broker = try obliging(version)
        var configuration = BrokerConfiguration(port: broker.port, clientID: "me", protocolVersion: version)
        change(&configuration)
        try await withRunning(Publisher(configuration: PublisherConfiguration(broker: configuration))) { publisher in
            try await publisher.publish(OutgoingMessage(topic: "t", payload: []))
        }
        return Greeting(try #require(broker.packets.first { $0.type == ScriptedBroker.connect }).body)
    }

    private func fill(_ broker: inout BrokerConfiguration) {
        (broker.username, broker.password) = ("anna", Secret("geheim"))
        broker.session = .persistent(expiry: .milliseconds(599_001))
        broker.keepAlive = .seconds(77)
        broker.maximumPacket = 1_234
        broker.lastWill = OutgoingMessage(
            topic: "gone", payload: [1, 2], retained: true, properties: MessageProperties(contentType: "a/b"))
    }

    @Test("greets with everything that is configured, and with the will and its properties")
    func everything() async throws {
        let greeting = try await greeting { fill(&$0) }
        // User, password, a retained will at QoS 1, no clean start.
        #expect(greeting.level == 5 && greeting.flags == 0xEC && greeting.keepAlive == 77)
        #expect(greeting.properties[0x11] == [0, 0, 2, 0x58] && greeting.properties[0x27] == [0, 0, 4, 0xD2])
        #expect(greeting.properties[0x21] == [0xFF, 0xFF])
        let will: [UInt8] = [6, 3] + text("a/b") + text("gone") + [0, 2, 1, 2]
        #expect(greeting.rest == text("me") + will + text("anna") + text("geheim"))
    }

    @Test("greets over MQTT 3.1.1 with the same but its properties")
    func older() async throws {
        let greeting = try await greeting(.v311) { fill(&$0) }
        #expect(greeting.level == 4 && greeting.flags == 0xEC && greeting.keepAlive == 77)
        #expect(greeting.rest == text("me") + text("gone") + [0, 2, 1, 2] + text("anna") + text("geheim"))
    }

    @Test("greets with a clean start and nothing more where nothing more is configured", arguments: [0, 1] as [UInt32])
    func plain(smallest: UInt32) async throws {
        let greeting = try await greeting { $0.maximumPacket = smallest }
        #expect(greeting.flags == 0x02 && greeting.keepAlive == 30 && greeting.rest == text("me"))
        #expect(greeting.properties[0x11] == nil)
        #expect(greeting.properties[0x27] == [0, 0, 0, 1], "none is not to be said")
        let unbounded = try await self.greeting { _ in }
        #expect(unbounded.properties[0x27] == nil)
    }

    @Test(
        "subscribes with the options that were asked for, and over MQTT 3.1.1 with the quality alone, none for a clean session",
        arguments: [
            (false, .atSubscribe, .atLeastOnce, .v5, true, 0x01), (false, .atSubscribe, .atMostOnce, .v5, true, 0x00),
            (true, .never, .atMostOnce, .v5, true, 0x24), (true, .atFirstSubscribe, .atLeastOnce, .v5, true, 0x15),
            (true, .never, .atLeastOnce, .v311, false, 0x01), (false, .never, .atMostOnce, .v311, false, 0x00),
            (true, .never, .atLeastOnce, .v311, true, 0x00),
        ] as [(Bool, Subscription.RetainHandling, QoS, BrokerConfiguration.ProtocolVersion, Bool, UInt8)])
    func options(
        excludesOwn: Bool, retain: Subscription.RetainHandling, qos: QoS, version: BrokerConfiguration.ProtocolVersion, isClean: Bool,
        options: UInt8
    ) async throws {
        let broker = try obliging(version)
        let events = EventLog()
        let configuration = BrokerConfiguration(
            port: broker.port, clientID: "c", protocolVersion: version, session: isClean ? .clean : .persistent(expiry: .seconds(60)))
        let subscription = Subscription("a/b", qos: qos, excludesOwn: excludesOwn, retainHandling: retain)
        let consumer = Consumer(
            configuration: ConsumerConfiguration(broker: configuration, subscriptions: [subscription]), onEvent: events.note)
        try await withRunning(consumer) { _ in try await events.waitUntilReady() }
        let packet = try #require(broker.packets.first { $0.type == ScriptedBroker.subscribe })
        #expect(Array(packet.body.dropFirst(2)) == (version == .v5 ? [0] : []) + text("a/b") + [options])
    }

    @Test("gives filters that overlap an identifier each, where the broker takes such, and others none", arguments: [true, false])
    func identifiers(areTaken: Bool) async throws {
        let filters = ["a/#", "b", "a/+"]
        let known = try await lengths(of: filters, areTaken: areTaken)
        #expect(known.map { $0 > 0 } == filters.map { areTaken && $0 != "b" })
    }

    /// The bytes of properties in the SUBSCRIBE of each filter.
    private func lengths(of filters: [String], areTaken: Bool) async throws -> [UInt8] {
        let broker = try ScriptedBroker { packet in
            packet.type == ScriptedBroker.connect && !areTaken ? [0x20, 5, 0, 0, 2, 0x29, 0] : ScriptedBroker.obliging(packet)
        }
        let events = EventLog()
        let consumer = Consumer(
            configuration: ConsumerConfiguration(
                broker: BrokerConfiguration(port: broker.port, clientID: "c"), subscriptions: filters.map { Subscription($0) }),
            onEvent: events.note)
        try await withRunning(consumer) { _ in try await events.waitUntilReady() }
        return broker.packets.filter { $0.type == ScriptedBroker.subscribe }.map { $0.body[2] }
    }

    @Test(
        "publishes with quality, retention and properties, and over MQTT 3.1.1 without these",
        arguments: [.v5, .v311] as [BrokerConfiguration.ProtocolVersion])
    func publishes(version: BrokerConfiguration.ProtocolVersion) async throws {
        let broker = try obliging(version)
        let configuration = BrokerConfiguration(port: broker.port, clientID: "p", protocolVersion: version)
        let properties = MessageProperties(contentType: "a/b")
        try await withRunning(Publisher(configuration: PublisherConfiguration(broker: configuration))) { publisher in
            for (qos, retained) in [(QoS.atMostOnce, false), (.atMostOnce, true), (.atLeastOnce, false), (.atLeastOnce, true)] {
                try await publisher.publish(OutgoingMessage(topic: "t", payload: [9], qos: qos, retained: retained, properties: properties))
            }
        }
        let sent = broker.packets.filter { $0.type == ScriptedBroker.publish }
        #expect(sent.map(\.flags) == [0, 1, 2, 3])
        for packet in sent {
            let identifier = packet.flags & 2 == 0 ? [] : packet.identifier
            #expect(packet.body == text("t") + identifier + (version == .v5 ? [6, 3] + text("a/b") : []) + [9])
        }
    }

    @Test("says good-bye once, with the last packet")
    func farewell() async throws {
        let broker = try obliging(.v5)
        try await withRunning(
            Publisher(configuration: PublisherConfiguration(broker: BrokerConfiguration(port: broker.port, clientID: "p")))
        ) {
            try await $0.publish(OutgoingMessage(topic: "t", payload: []))
        }
        try await eventually("the goodbye") { broker.count(ScriptedBroker.disconnect) == 1 }
        #expect(broker.packets.map(\.type) == [ScriptedBroker.connect, ScriptedBroker.publish, ScriptedBroker.disconnect])
    }

    @Test("takes from a broker of MQTT 3.1.1 whether it has sent a message before, which MQTT 5 is not asked for")
    func repeats() async throws {
        for version in [.v311, .v5] as [BrokerConfiguration.ProtocolVersion] {
            let broker = try obliging(version)
            let events = EventLog()
            let configuration = BrokerConfiguration(
                port: broker.port, clientID: "c", protocolVersion: version, session: .persistent(expiry: .seconds(60)))
            let consumer = Consumer(
                configuration: ConsumerConfiguration(broker: configuration, subscriptions: [Subscription("#")]), onEvent: events.note)
            try await withRunning(consumer) { consumer in
                try await events.waitUntilReady()
                var batches = consumer.batches.makeAsyncIterator()
                // The topic says what the library's own line says.
                for (number, flags) in [(1, 0x32), (2, 0x3A), (3, 0x33)] as [(UInt8, UInt8)] {
                    let body = text("t received PUBLISH (d1, q1") + [0, number] + (version == .v5 ? [0] : []) + [9]
                    broker.send([flags, UInt8(body.count)] + body)
                    let batch = try #require(try await batches.next())
                    #expect(
                        batch.messages.map(\.isRepeat) == [version == .v5 ? nil : number == 2]
                            && batch.messages[0].packetID == UInt16(number))
                    batch.settle(.committed)
                }
            }
        }
    }
}
