import MessageBus
import Synchronization
import TestSupport
import Testing

@Suite("A publisher", .timeLimit(.minutes(4)))
struct PublisherTests {
    private func scripted(_ broker: ScriptedBroker, maximumInFlight: Int = 1_000) -> Publisher {
        let configuration = BrokerConfiguration(
            port: broker.port, clientID: "p", backoff: Backoff(base: .milliseconds(2), maximum: .milliseconds(40)))
        return Publisher(configuration: PublisherConfiguration(broker: configuration, maximumInFlight: maximumInFlight))
    }

    /// Obliging, but silent about publishes.
    private let silent: @Sendable (ScriptedBroker.Packet) -> [UInt8] = {
        $0.type == ScriptedBroker.publish ? [] : ScriptedBroker.obliging($0)
    }

    private let message = OutgoingMessage(topic: "t", payload: [1])

    @Test("returns from a publish only once the broker has acknowledged it")
    func returnsOnAcknowledgement() async throws {
        let broker = try ScriptedBroker(silent)
        let isDone = Flag()
        try await withRunning(scripted(broker)) { [message] publisher in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await publisher.publish(message)
                    isDone.raise()
                }
                try await eventually("the publish") { broker.count(ScriptedBroker.publish) == 1 }
                #expect(!isDone.isRaised)
                #expect(publisher.counters.inFlight == 1)
                if let packet = broker.packets.last { broker.send(ScriptedBroker.acknowledged(packet)) }
                try await group.waitForAll()
            }
        }
        #expect(isDone.isRaised)
    }

    @Test("has no more in flight than its bound; further callers wait")
    func bounded() async throws {
        let broker = try ScriptedBroker(silent)
        try await withRunning(scripted(broker, maximumInFlight: 3)) { [message] publisher in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<10 { group.addTask { try await publisher.publish(message) } }
                try await eventually("all callers") { publisher.counters.accepted == 10 }
                var answered = 0
                while answered < 10 {
                    try await eventually("the next publishes") { broker.count(ScriptedBroker.publish) == min(answered + 3, 10) }
                    let packet = broker.packets.filter { $0.type == ScriptedBroker.publish }[answered]
                    broker.send(ScriptedBroker.acknowledged(packet))
                    answered += 1
                }
                try await group.waitForAll()
            }
        }
    }

    @Test(
        "throws what the broker says against a message",
        arguments: [(UInt8(0x87), BusError.Code.notAuthorized), (0x97, .quotaExceeded), (0x83, .refused)])
    func refused(reason: UInt8, code: BusError.Code) async throws {
        let broker = try ScriptedBroker { packet in
            packet.type == ScriptedBroker.publish ? ScriptedBroker.acknowledged(packet, reason: reason) : ScriptedBroker.obliging(packet)
        }
        try await withRunning(scripted(broker)) { [message] publisher in
            let error = await #expect(throws: BusError.self) { try await publisher.publish(message) }
            #expect(error?.code == code)
            #expect(error?.reason == reason)
        }
    }

    @Test("takes a message without subscribers for delivered, and QoS 0 for sent")
    func noSubscribers() async throws {
        let server = try await MosquittoServer.start()
        try await server.publish([
            OutgoingMessage(topic: "nobody", payload: []), OutgoingMessage(topic: "nobody", payload: [], qos: .atMostOnce),
        ])
    }

    @Test("sends again over the next connection what was not acknowledged over the last")
    func sendsAgain() async throws {
        let broker = try ScriptedBroker { packet in
            packet.type == ScriptedBroker.publish && packet.connection == 1 ? [] : ScriptedBroker.obliging(packet)
        }
        try await withRunning(scripted(broker)) { [message] publisher in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<5 { group.addTask { try await publisher.publish(message) } }
                try await eventually("the publishes") { broker.count(ScriptedBroker.publish) == 5 }
                broker.hangUp()
                try await group.waitForAll()
            }
            #expect(publisher.counters.repeated == 5)
            #expect(publisher.counters.reconnects == 1)
        }
        #expect(broker.count(ScriptedBroker.publish) == 10)
    }

    @Test("loses nothing when the broker is restarted under load")
    func restart() async throws {
        let server = try await MosquittoServer.start()
        try await server.openSession("c", "t")
        let publisher = Publisher(configuration: PublisherConfiguration(broker: server.configuration(clientID: "p"), maximumInFlight: 50))
        try await withRunning(publisher) { publisher in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<2_000 {
                    group.addTask { try await publisher.publish(OutgoingMessage(topic: "t", payload: Array(String(number).utf8))) }
                }
                try await eventually("some progress") { publisher.counters.delivered > 200 }
                try await server.stop()
                try await server.start()
                try await group.waitForAll()
            }
        }
        let kept = BrokerConfiguration.Session.persistent(expiry: .seconds(3_600))
        try await withRunning(server.consumer("c", "t", session: kept)) { consumer in
            var numbers: Set<Int> = []
            while numbers.count < 2_000 { numbers.formUnion(try await consumer.takeMessages(1).compactMap(\.number)) }
            #expect(numbers == Set(0..<2_000))
        }
    }

    @Test("lets a cancelled caller go, before and after its message was sent", arguments: [true, false])
    func cancelledCaller(isConnected: Bool) async throws {
        let broker = try ScriptedBroker(silent)
        let publisher = scripted(broker)
        @Sendable func cancelOne() async throws {
            await withTaskGroup(of: BusError?.self) { [message] group in
                group.addTask {
                    do throws(BusError) {
                        try await publisher.publish(message)
                        return nil
                    } catch {
                        return error
                    }
                }
                try? await eventually("the publish") {
                    isConnected ? broker.count(ScriptedBroker.publish) == 1 : publisher.counters.accepted == 1
                }
                group.cancelAll()
                #expect(await group.next()??.code == .cancelled)
            }
        }
        if isConnected { try await withRunning(publisher) { _ in try await cancelOne() } } else { try await cancelOne() }
        #expect(publisher.counters.inFlight == 0)
    }

    @Test("fails everyone who waits when it is cancelled, and everyone who comes later")
    func cancelled() async throws {
        let broker = try ScriptedBroker(silent)
        let publisher = scripted(broker)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await publisher.run() }
            async let refused: BusError? = { [message] in
                do throws(BusError) {
                    try await publisher.publish(message)
                    return nil
                } catch {
                    return error
                }
            }()
            try await eventually("the publish") { broker.count(ScriptedBroker.publish) == 1 }
            group.cancelAll()
            #expect(await refused?.code == .cancelled)
            try await group.waitForAll()
        }
        await #expect(throws: BusError.self) { try await publisher.publish(message) }
    }

    @Test("drains: refuses what is new, delivers what was accepted, says goodbye")
    func drains() async throws {
        let broker = try ScriptedBroker(silent)
        try await withRunning(scripted(broker)) { [message] publisher in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await publisher.publish(message) }
                try await eventually("the publish") { broker.count(ScriptedBroker.publish) == 1 }
                publisher.drain()
                let error = await #expect(throws: BusError.self) { try await publisher.publish(message) }
                #expect(error?.code == .closed)
                if let packet = broker.packets.last { broker.send(ScriptedBroker.acknowledged(packet)) }
                try await group.waitForAll()
            }
        }
        try await eventually("the goodbye") { broker.count(ScriptedBroker.disconnect) == 1 }
    }

    @Test("refuses a message larger than the broker takes, and goes on")
    func tooLarge() async throws {
        let server = try await MosquittoServer.start(extra: "max_packet_size 10000\n")
        let publisher = Publisher(configuration: PublisherConfiguration(broker: server.configuration(clientID: "p")))
        try await withRunning(publisher) { [message] publisher in
            try await publisher.publish(message)
            let large = OutgoingMessage(topic: "t", payload: [UInt8](repeating: 0, count: 20_000))
            let error = await #expect(throws: BusError.self) { try await publisher.publish(large) }
            #expect(error?.code == .messageTooLarge)
            try await publisher.publish(message)
            #expect(publisher.counters.reconnects == 0)
        }
    }
}

/// Something that has happened, told from one task to another.
private final class Flag: Sendable {
    private let state = Mutex(false)

    var isRaised: Bool { state.withLock { $0 } }

    func raise() {
        state.withLock { $0 = true }
    }
}
