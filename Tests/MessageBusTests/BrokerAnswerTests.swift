import MessageBus
import TestSupport
import Testing

@Suite("What a broker says to a connection", .timeLimit(.minutes(2)))
struct BrokerAnswerTests {
    private func publisher(
        _ broker: ScriptedBroker, _ version: BrokerConfiguration.ProtocolVersion = .v5, _ events: EventLog
    ) -> Publisher {
        let configuration = BrokerConfiguration(
            port: broker.port, clientID: "p", protocolVersion: version, backoff: Backoff(base: .milliseconds(1), maximum: .milliseconds(5)))
        return Publisher(configuration: PublisherConfiguration(broker: configuration), onEvent: events.note)
    }

    @Test(
        "is told as its terms",
        arguments: [
            ([0x20, 3, 0, 0, 0], ConnectionInfo(version: .v5, subscriptionIdentifiersAvailable: true)),
            ([0x20, 3, 1, 0, 0], ConnectionInfo(version: .v5, sessionPresent: true, subscriptionIdentifiersAvailable: true)),
            ([0x20, 6, 0, 0, 3, 0x21, 1, 0], ConnectionInfo(version: .v5, receiveMaximum: 256, subscriptionIdentifiersAvailable: true)),
            (
                [0x20, 8, 0, 0, 5, 0x27, 0, 16, 0, 1],
                ConnectionInfo(version: .v5, maximumPacketSize: 1_048_577, subscriptionIdentifiersAvailable: true)
            ),
            ([0x20, 5, 0, 0, 2, 0x24, 0], ConnectionInfo(version: .v5, maximumQoS: 0, subscriptionIdentifiersAvailable: true)),
            ([0x20, 5, 0, 0, 2, 0x24, 1], ConnectionInfo(version: .v5, maximumQoS: 1, subscriptionIdentifiersAvailable: true)),
            ([0x20, 5, 0, 0, 2, 0x25, 0], ConnectionInfo(version: .v5, retainAvailable: false, subscriptionIdentifiersAvailable: true)),
            ([0x20, 5, 0, 0, 2, 0x25, 1], ConnectionInfo(version: .v5, subscriptionIdentifiersAvailable: true)),
            ([0x20, 5, 0, 0, 2, 0x29, 0], ConnectionInfo(version: .v5)),
            ([0x20, 5, 0, 0, 2, 0x29, 1], ConnectionInfo(version: .v5, subscriptionIdentifiersAvailable: true)),
            (
                [0x20, 8, 0, 0, 5, 0x11, 0, 0, 2, 0x58],
                ConnectionInfo(version: .v5, subscriptionIdentifiersAvailable: true, sessionExpiry: .seconds(600))
            ),
            (
                [0x20, 6, 0, 0, 3, 0x13, 0, 9],
                ConnectionInfo(version: .v5, subscriptionIdentifiersAvailable: true, serverKeepAlive: .seconds(9))
            ),
            ([0x20, 2, 0, 0], ConnectionInfo(version: .v311)), ([0x20, 2, 1, 0], ConnectionInfo(version: .v311, sessionPresent: true)),
        ] as [([UInt8], ConnectionInfo)])
    func terms(bytes: [UInt8], info: ConnectionInfo) async throws {
        let broker = try ScriptedBroker { $0.type == ScriptedBroker.connect ? bytes : [] }
        let events = EventLog()
        try await withRunning(publisher(broker, info.version, events)) { _ in try await events.waitUntilReady() }
        #expect(events.events.first == .connected(info))
        #expect(events.events.last == .ready)
    }

    /// The first error that a publisher's connection ends with.
    private func firstError(
        _ broker: ScriptedBroker, _ version: BrokerConfiguration.ProtocolVersion = .v5,
        whenReady act: @escaping @Sendable () -> Void = {}
    ) async throws -> BusError? {
        let events = EventLog()
        let publisher = publisher(broker, version, events)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // What is looked at is told as an event too.
                do { try await publisher.run() } catch {}
            }
            try await events.wait(for: "ready, or the end") {
                if case .disconnected = $0 { true } else { $0 == .ready }
            }
            act()
            try await events.wait(for: "the end") { if case .disconnected = $0 { true } else { false } }
            publisher.drain()
            group.cancelAll()
            for case .disconnected(let error) in events.events { return error }
            return nil
        }
    }

    @Test(
        "is a refusal with its reason",
        arguments: [
            (.v5, 0x80, .refused), (.v5, 0x81, .protocolViolation), (.v5, 0x85, .refused), (.v5, 0x86, .badCredentials),
            (.v5, 0x87, .notAuthorized), (.v5, 0x88, .refused), (.v5, 0x8C, .badCredentials), (.v5, 0x95, .messageTooLarge),
            (.v5, 0x97, .quotaExceeded), (.v311, 2, .refused), (.v311, 3, .refused), (.v311, 4, .badCredentials),
            (.v311, 5, .notAuthorized),
        ] as [(BrokerConfiguration.ProtocolVersion, UInt8, BusError.Code)])
    func refusals(version: BrokerConfiguration.ProtocolVersion, reason: UInt8, code: BusError.Code) async throws {
        let broker = try ScriptedBroker { packet in
            guard packet.type == ScriptedBroker.connect else { return [] }
            return version == .v5 ? ScriptedBroker.accepted(reason: reason) : ScriptedBroker.acceptedV311(code: reason)
        }
        #expect(try await firstError(broker, version) == BusError(code, during: .connect, reason: reason))
    }

    @Test(
        "is why the connection ends",
        arguments: [([0xE0, 2, 0x80, 0], 0x80), ([0xE0, 2, 0x8B, 0], 0x8B), ([0xE0, 1, 0x8E], 0x8E)] as [([UInt8], UInt8?)])
    func disconnects(bytes: [UInt8], reason: UInt8?) async throws {
        let broker = try ScriptedBroker(ScriptedBroker.obliging)
        let error = try await firstError(broker) { broker.send(bytes) }
        #expect(error?.code == .connectionLost && error?.operation == .publish && error?.reason == reason)
    }

    @Test("is nothing where it just hangs up")
    func hangsUp() async throws {
        let broker = try ScriptedBroker(ScriptedBroker.obliging)
        let error = try await firstError(broker) { broker.hangUp() }
        #expect(error?.code == .connectionLost && error?.operation == .publish && error?.reason == nil, "\(String(describing: error))")
    }

    @Test("breaks the rules where it is no packet that a broker sends")
    func breaksRules() async throws {
        let broker = try ScriptedBroker(ScriptedBroker.obliging)
        let error = try await firstError(broker) { broker.send([0x32, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]) }
        #expect(error?.code == .protocolViolation && error?.isRetryable == true)
    }

    @Test("is heeded where it asks for a shorter keep-alive, also by a publisher that has nothing to say")
    func serverKeepAlive() async throws {
        let broker = try ScriptedBroker { packet in
            packet.type == ScriptedBroker.connect ? [0x20, 6, 0, 0, 3, 0x13, 0, 1] : ScriptedBroker.obliging(packet)
        }
        let events = EventLog()
        try await withRunning(publisher(broker, .v5, events)) { _ in
            // Looked at as the configured keep-alive wants it, three of them would take a quarter of a minute.
            try await eventually(within: .seconds(10), "three pings") { broker.count(ScriptedBroker.ping) >= 3 }
        }
        #expect(broker.connections == 1)
    }

    @Test("is missed where nothing answers the pings any more, and the next connection is made")
    func silence() async throws {
        let broker = try ScriptedBroker { packet in
            switch packet.type {
            case ScriptedBroker.connect: packet.connection == 1 ? [0x20, 6, 0, 0, 3, 0x13, 0, 1] : ScriptedBroker.accepted()
            default: []
            }
        }
        let events = EventLog()
        try await withRunning(publisher(broker, .v5, events)) { _ in try await events.waitUntilReady(count: 2) }
        #expect(broker.connections == 2 && broker.count(ScriptedBroker.ping) >= 1)
    }
}
