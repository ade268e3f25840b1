import MessageBus
import Synchronization
import TestSupport
import Testing

@Suite("Brokers of several nodes, and of few words", .serialized, .timeLimit(.minutes(4)))
struct NodesTests {
    private static let message = OutgoingMessage(topic: "a", payload: [1])

    private func configuration(_ ports: [UInt16]) -> BrokerConfiguration {
        BrokerConfiguration(
            host: ports.map { "127.0.0.1:\($0)" }.joined(separator: ","), clientID: "p", connectTimeout: .seconds(6),
            backoff: Backoff(base: .milliseconds(10), maximum: .milliseconds(100)))
    }

    @Test("passes over a node that is away and one that is silent, and publishes at the one that works")
    func passedOver() async throws {
        let server = try await MosquittoServer.start()
        let silent = try ScriptedBroker { _ in [] }
        let events = EventLog()
        let broker = configuration([try LoopbackPort.free(), silent.port, server.port])
        try await withRunning(Publisher(configuration: PublisherConfiguration(broker: broker), onEvent: events.note)) { publisher in
            try await publisher.publish(Self.message)
        }
        #expect(silent.connections == 1)
        #expect(events.count { if case .connected(let info) = $0 { info.version == .v5 } else { false } } == 1)
        // The two were tried one after the other, without a wait in between.
        #expect(events.count { if case .reconnecting(_, .zero) = $0 { true } else { false } } == 2, "\(events.events)")
    }

    @Test("goes on with another node when the one in use is killed")
    func killed() async throws {
        let first = try await MosquittoServer.start(), second = try await MosquittoServer.start()
        let events = EventLog()
        let broker = configuration([first.port, second.port])
        try await withRunning(Publisher(configuration: PublisherConfiguration(broker: broker), onEvent: events.note)) { publisher in
            try await publisher.publish(Self.message)
            try await first.kill()
            try await publisher.publish(Self.message)
        }
        #expect(events.count { if case .connected = $0 { true } else { false } } == 2)
    }

    @Test("speaks MQTT 3.1.1 to a broker that meets MQTT 5 with silence, or hangs up on it", arguments: [false, true])
    func fewWords(hangsUp: Bool) async throws {
        let itself = Mutex<ScriptedBroker?>(nil)
        let broker = try ScriptedBroker { packet in
            switch packet.type {
            case ScriptedBroker.connect where packet.body[6] == 5:
                if hangsUp { itself.withLock { $0?.hangUp() } }
                return []
            case ScriptedBroker.connect: return [0x20, 2, 0, 0]
            case ScriptedBroker.publish: return [0x40, 2] + packet.identifier
            default: return []
            }
        }
        itself.withLock { $0 = broker }
        defer { itself.withLock { $0 = nil } }
        var one = configuration([broker.port])
        one.connectTimeout = .seconds(1)
        let events = EventLog()
        try await withRunning(Publisher(configuration: PublisherConfiguration(broker: one), onEvent: events.note)) { publisher in
            try await publisher.publish(Self.message)
        }
        let greetings = broker.packets.filter { $0.type == ScriptedBroker.connect }.map { $0.body[6] }
        #expect(greetings == [5, 5, 4])
        #expect(events.count { $0 == .fellBackTo311 } == 1)
    }

    @Test("refuses a list of hosts that cannot be read, by name")
    func malformed() async throws {
        var broker = configuration([1])
        broker.host = "a,,b"
        let error = await #expect(throws: BusError.self) {
            try await Publisher(configuration: PublisherConfiguration(broker: broker)).run()
        }
        #expect(error?.code == .invalidConfiguration && error?.detail.contains("list of hosts") == true)
    }
}
