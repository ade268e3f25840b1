import MessageBus
import Synchronization
import TestSupport
import Testing

@Suite("Rules of a requester", .timeLimit(.minutes(2)))
struct RequesterRuleTests {
    private func configuration(_ port: UInt16) -> BrokerConfiguration {
        BrokerConfiguration(
            port: port, clientID: "r", session: .persistent(expiry: .seconds(60)),
            backoff: Backoff(base: .milliseconds(1), maximum: .milliseconds(5)))
    }

    private func error(_ body: () async throws(BusError) -> IncomingMessage) async -> BusError? {
        do throws(BusError) {
            _ = try await body()
            return nil
        } catch {
            return error
        }
    }

    private static let question: @Sendable (String) -> OutgoingMessage = { _ in OutgoingMessage(topic: "q", payload: []) }

    @Test("what it waits for includes the connection, and it waits no longer than that")
    func timesOut() async {
        let requester = Requester(broker: configuration(1), responsePrefix: "r", clock: ImmediateClock())
        let late = await error { () throws(BusError) in try await requester.request(timeout: .seconds(3_600), Self.question) }
        #expect(late == BusError(.timedOut, during: .request))
    }

    @Test("what is asked of it ends with closed once it has drained, also before it was connected")
    func drained() async {
        let requester = Requester(broker: configuration(1), responsePrefix: "r")
        async let waiting = error { () throws(BusError) in try await requester.request(timeout: .seconds(3_600), Self.question) }
        requester.drain()
        #expect(await waiting == BusError(.closed, during: .request))
        let later = await error { () throws(BusError) in try await requester.request(timeout: .seconds(3_600), Self.question) }
        #expect(later == BusError(.closed, during: .request))
    }

    @Test("what is asked of it ends with what ended it, where it cannot go on")
    func cannotGoOn() async {
        let requester = Requester(broker: configuration(0), responsePrefix: "r")
        let ended = await #expect(throws: BusError.self) { try await requester.run() }
        #expect(ended?.code == .invalidConfiguration)
        let asked = await error { () throws(BusError) in try await requester.request(timeout: .seconds(3_600), Self.question) }
        #expect(asked == ended)
    }

    @Test("a caller that is cancelled is let go")
    func cancelled() async throws {
        let requester = Requester(broker: configuration(1), responsePrefix: "r")
        let outcome = await withTaskGroup(of: BusError?.self) { group in
            group.addTask {
                await error { () throws(BusError) in try await requester.request(timeout: .seconds(3_600), Self.question) }
            }
            group.cancelAll()
            return await group.next() ?? nil
        }
        #expect(outcome?.code == .cancelled)
    }

    /// The topic and the correlation data that a question asks its answer to have.
    private static func asked(_ packet: ScriptedBroker.Packet) -> (topic: String, correlation: [UInt8])? {
        // Behind topic and identifier: properties of less than 128 bytes.
        let start = 2 + Int(packet.body[0]) << 8 + Int(packet.body[1]) + 2
        let end = start + 1 + Int(packet.body[start])
        var index = start + 1, found = (topic: "", correlation: [UInt8]())
        while index < end {
            let size = Int(packet.body[index + 1]) << 8 + Int(packet.body[index + 2])
            let value = Array(packet.body[index + 3..<index + 3 + size])
            if packet.body[index] == 0x08 { found.topic = String(decoding: value, as: UTF8.self) } else { found.correlation = value }
            index += 3 + size
        }
        return found.topic.isEmpty ? nil : found
    }

    /// PUBLISH at QoS 0 with correlation data.
    private static func answer(_ topic: String, _ correlation: [UInt8], _ payload: [UInt8]) -> [UInt8] {
        MQTTPacket.publish(topic, payload, qos: 0, properties: correlation.isEmpty ? [] : [.correlation(correlation)]).bytes
    }

    @Test("an answer is its own that repeats the correlation data, or has none and comes on the topic, and no other")
    func answers() async throws {
        let broker = try ScriptedBroker { packet in
            guard packet.type == ScriptedBroker.publish, let asked = Self.asked(packet) else { return ScriptedBroker.obliging(packet) }
            let topic = asked.topic, last = packet.body.last
            let strangers =
                Self.answer(topic, Array(asked.correlation.dropLast()), [1]) + Self.answer(topic, asked.correlation + [0], [2])
                + Self.answer(topic, Array(asked.correlation.reversed().map { ~$0 }), [3]) + Self.answer("r/x/nonsense", [], [4])
            let own = last == 7 ? Self.answer(topic, [], [42]) : Self.answer("r/x/0", asked.correlation, [42])
            return ScriptedBroker.acknowledged(packet) + strangers + own + own
        }
        let requester = Requester(broker: configuration(broker.port), responsePrefix: "r/x")
        try await withRunning({ try await requester.run() }, stop: { requester.drain() }) {
            for kind in [7, 8] as [UInt8] {
                let told = Mutex("")
                let answer = try await requester.request(timeout: .seconds(100)) { topic in
                    told.withLock { $0 = topic }
                    return OutgoingMessage(topic: "q", payload: [kind])
                }
                #expect(answer.payload == [42])
                #expect(told.withLock { $0 }.hasPrefix("r/x/"))
            }
        }
        let packets = broker.packets
        let greeting = try #require(packets.first { $0.type == ScriptedBroker.connect })
        #expect(greeting.body[7] & 0x02 != 0, "its session is clean, whatever was configured")
        let subscription = try #require(packets.first { $0.type == ScriptedBroker.subscribe })
        #expect(String(decoding: subscription.body, as: UTF8.self).contains("r/x/+"))
        for packet in packets.filter({ $0.type == ScriptedBroker.publish }) {
            let asked = try #require(Self.asked(packet))
            let number = asked.correlation.reduce(0) { $0 << 8 | UInt64($1) }
            #expect(asked.topic == "r/x/" + String(number, radix: 16) && asked.correlation.count == 8)
        }
    }

    @Test("its events are told in their order; a question waits until answers would arrive, also over the next connection")
    func waitsForSubscription() async throws {
        let broker = try ScriptedBroker { packet in
            guard packet.type == ScriptedBroker.publish, let asked = Self.asked(packet) else { return ScriptedBroker.obliging(packet) }
            return ScriptedBroker.acknowledged(packet) + Self.answer(asked.topic, asked.correlation, [42])
        }
        let events = EventLog()
        let requester = Requester(broker: configuration(broker.port), responsePrefix: "r", onEvent: events.note)
        try await withRunning({ try await requester.run() }, stop: { requester.drain() }) {
            _ = try await requester.request(timeout: .seconds(100), Self.question)
            broker.hangUp()
            try await events.wait(for: "the loss") { if case .disconnected = $0 { true } else { false } }
            _ = try await requester.request(timeout: .seconds(100), Self.question)
        }
        for connection in 1...2 {
            let types = broker.packets.filter { $0.connection == connection }.map(\.type)
            #expect(types.prefix(3) == [ScriptedBroker.connect, ScriptedBroker.subscribe, ScriptedBroker.publish])
        }
        let info = ConnectionInfo(version: .v5, subscriptionIdentifiersAvailable: true)
        #expect(events.events.prefix(3) == [.connected(info), .subscribed(filter: "r/+", qos: .atLeastOnce), .ready])
    }

    @Test("a broker that does not let it hear answers ends it, and what waits")
    func refused() async throws {
        let broker = try ScriptedBroker { packet in
            packet.type == ScriptedBroker.subscribe ? ScriptedBroker.granted(packet, reason: 0x87) : ScriptedBroker.obliging(packet)
        }
        let events = EventLog()
        let requester = Requester(broker: configuration(broker.port), responsePrefix: "r", onEvent: events.note)
        async let waiting = error { () throws(BusError) in try await requester.request(timeout: .seconds(3_600), Self.question) }
        let ended = await #expect(throws: BusError.self) { try await requester.run() }
        #expect(ended?.code == .notAuthorized && ended?.operation == .subscribe)
        #expect(await waiting == ended)
        #expect(events.events.contains(.subscriptionRefused(filter: "r/+", reason: 0x87)) && !events.events.contains(.ready))
    }
}
