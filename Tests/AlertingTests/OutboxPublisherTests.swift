import MessageBus
import Synchronization
import TestSupport
import Testing

@testable import Alerting

@Suite("Publishing what the core decided", .timeLimit(.minutes(10)))
struct OutboxPublisherTests {
    private static func messages(people: Int) -> [OutgoingMessage] {
        (0..<3).flatMap { step in
            (0..<people).map {
                OutgoingMessage(topic: "vigil/v1/\(step == 1 ? "alerts" : "alert-events")/\($0)/high", payload: [UInt8(step)])
            }
        }
    }

    @Test("publishes each message once, those of one alert in their order", arguments: [1, 2, 3, 5, 100])
    func order(people: Int) async throws {
        let publisher = InMemoryPublisher()
        let messages = Self.messages(people: people)
        try await OutboxPublisher(publisher).publish(messages)
        let published = publisher.messages
        #expect(published.count == messages.count)
        for person in 0..<people {
            #expect(published.filter { $0.topic.hasSuffix("/\(person)/high") }.map(\.payload) == [[0], [1], [2]])
        }
    }

    /// A publisher that holds everything until so many are on their way at once, and counts them.
    private final class Crowd: MessagePublisher {
        private struct State {
            var inside = 0
            var most = 0
        }
        private let state = Mutex(State())
        private let expected: Int
        init(_ expected: Int) { self.expected = expected }

        var most: Int { state.withLock { $0.most } }

        func publish(_ message: OutgoingMessage) async throws(BusError) {
            state.withLock { state in
                state.inside += 1
                state.most = max(state.most, state.inside)
            }
            while most < expected { await Task.yield() }
            for _ in 0..<100 { await Task.yield() }
            state.withLock { $0.inside -= 1 }
        }
    }

    @Test("has thirty-two alerts on their way at once")
    func width() async throws {
        let crowd = Crowd(32)
        try await OutboxPublisher(crowd).publish(Self.messages(people: 100))
        #expect(crowd.most == 32)
    }

    @Test(
        "gives up what the broker will never take, tells it, and goes on with what follows",
        arguments: [BusError.Code.invalidTopic, .notAuthorized, .messageTooLarge, .refused], [1, 3])
    func dropped(code: BusError.Code, people: Int) async throws {
        let (publisher, dropped) = (InMemoryPublisher(), Dropped())
        publisher.fail { $0.topic.hasSuffix("/0/high") && $0.payload == [1] ? BusError(code, during: .publish, reason: 0x99) : nil }
        try await OutboxPublisher(publisher) { dropped.note($0.code) }.publish(Self.messages(people: people))
        #expect(publisher.messages.count == people * 3 - 1 && dropped.codes == [code])
    }

    @Test("gives nothing up where the connection is gone", arguments: [1, 3])
    func gone(people: Int) async {
        let (publisher, dropped) = (InMemoryPublisher(), Dropped())
        publisher.fail { $0.payload == [1] ? BusError(.connectionLost, during: .publish) : nil }
        let outbox = OutboxPublisher(publisher) { dropped.note($0.code) }
        await #expect(throws: BusError.self) { try await outbox.publish(Self.messages(people: people)) }
        #expect(dropped.codes.isEmpty && !publisher.messages.contains { $0.payload == [2] })
        // One message by itself, too.
        await #expect(throws: BusError.self) { try await outbox.publish([OutgoingMessage(topic: "a", payload: [1])]) }
    }

    @Test(
        "tries again what the broker refuses for the moment, and gives none of it up", arguments: [UInt8(0x80), 0x83, 0x91, 0x97], [1, 3])
    func temporary(reason: UInt8, people: Int) async throws {
        let dropped = Dropped(), refusals = RefusalCount()
        let broker = try ScriptedBroker { packet in
            guard packet.type == ScriptedBroker.publish, packet.body.last == 7, refusals.next() == 1 else {
                return ScriptedBroker.obliging(packet)
            }
            return ScriptedBroker.acknowledged(packet, reason: reason)
        }
        let configuration = BrokerConfiguration(port: broker.port, clientID: "p")
        try await withRunning(Publisher(configuration: PublisherConfiguration(broker: configuration))) { publisher in
            try await OutboxPublisher(publisher) { dropped.note($0.code) }.publish(
                [0, 1, 2].map { OutgoingMessage(topic: "vigil/v1/alert-events/\($0 % people)/high", payload: [$0 == 1 ? 7 : 200]) })
        }
        #expect(dropped.codes.isEmpty && broker.count(ScriptedBroker.publish) == 4)
    }

    @Test("throws what the broker refuses for long; what concerns other alerts has left meanwhile")
    func long() async throws {
        let (publisher, dropped, clock) = (InMemoryPublisher(), Dropped(), SteppingClock(.max))
        publisher.fail { $0.topic.hasSuffix("/0/high") && $0.payload == [1] ? BusError(.refused, during: .publish, reason: 0x83) : nil }
        let outbox = OutboxPublisher(publisher, clock: clock) { dropped.note($0.code) }
        await #expect(throws: BusError.self) { try await outbox.publish(Self.messages(people: 3)) }
        #expect(clock.steps == [100, 200, 400, 800, 1600].map { .milliseconds($0) } && dropped.codes.isEmpty)
        #expect(publisher.messages.count == 7 && publisher.messages.count { $0.topic.hasSuffix("/0/high") } == 1)
    }

    /// Counts, from 1.
    private final class RefusalCount: Sendable {
        private let state = Mutex(0)
        func next() -> Int {
            state.withLock { count in
                count += 1
                return count
            }
        }
    }

    /// The reasons for which messages were given up.
    private final class Dropped: Sendable {
        private let state = Mutex<[BusError.Code]>([])
        var codes: [BusError.Code] { state.withLock { $0 } }
        func note(_ code: BusError.Code) { state.withLock { $0.append(code) } }
    }
}
