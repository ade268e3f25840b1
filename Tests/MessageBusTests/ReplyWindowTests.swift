import MessageBus
import Synchronization
import TestSupport
import Testing

@Suite("Replies on their way", .timeLimit(.minutes(1)))
struct ReplyWindowTests {
    /// Lets every message wait until the test has looked.
    private final class Gate: MessagePublisher {
        private struct State {
            var waiting: [CheckedContinuation<BusError?, Never>] = []
            var taken = 0
            var most = 0
        }

        private let state = Mutex(State())

        var taken: Int { state.withLock { $0.taken } }
        /// The most that have waited at once.
        var most: Int { state.withLock { $0.most } }

        /// Lets those go that wait now.
        func open(_ error: BusError? = nil) {
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                return state.waiting
            }
            for one in waiting { one.resume(returning: error) }
        }

        func publish(_ message: OutgoingMessage) async throws(BusError) {
            let error = await withCheckedContinuation { one in
                state.withLock { state in
                    state.waiting.append(one)
                    state.taken += 1
                    state.most = max(state.most, state.waiting.count)
                }
            }
            if let error { throw error }
        }
    }

    private func replies(_ count: Int) -> [Reply] { (0..<count).map { number in Reply(to: "t/\(number)") { [1] } } }

    @Test("are 256 at once, and the others as soon as there is room")
    func window() async throws {
        let gate = Gate()
        let publisher = ReplyPublisher(gate)
        async let sending: Void = publisher.publish(replies(600))
        try await eventually("the first") { gate.taken >= 256 }
        var sent = 0
        while sent < 600 {
            try await eventually("more") { gate.taken >= min(sent + 256, 600) }
            sent = gate.taken
            gate.open()
        }
        try await sending
        #expect(gate.most == 256 && gate.taken == 600)
        #expect(publisher.counters.sent == 600 && publisher.counters.dropped == 0)
    }

    @Test("are no more once the publisher has ended, and what it ended with is thrown")
    func ended() async throws {
        let gate = Gate()
        let publisher = ReplyPublisher(gate)
        async let outcome: BusError? = {
            do throws(BusError) {
                try await publisher.publish(replies(300))
                return nil
            } catch {
                return error
            }
        }()
        try await eventually("the first") { gate.taken == 256 }
        gate.open(BusError(.closed, during: .publish))
        #expect(await outcome == BusError(.closed, during: .publish))
        #expect(gate.taken == 256 && publisher.counters.sent == 0 && publisher.counters.dropped == 0)
    }

    @Test("are told when they are given up, each with its reason")
    func dropped() async throws {
        let codes = Mutex<[BusError]>([])
        let inner = InMemoryPublisher()
        let publisher = ReplyPublisher(inner) { error in codes.withLock { $0.append(error) } }
        inner.failNext(BusError(.refused, during: .publish, reason: 0x83))
        try await publisher.publish(replies(1))
        try await publisher.publish([Reply(to: "t") { throw CancellationError() }])
        try await publisher.publish([])
        try await publisher.publish(replies(1))
        #expect(
            codes.withLock { $0 } == [
                BusError(.refused, during: .publish, reason: 0x83),
                BusError(.internalFailure, during: .publish, detail: "a reply cannot be encoded"),
            ])
        #expect(publisher.counters.dropped == 2 && publisher.counters.sent == 1)
    }

    @Test("are kept by the broker for a day, acknowledged, and given up rather than sent for ever")
    func form() throws {
        let message = try #require(Reply(to: "t", correlation: [7]) { [1, 2] }.message)
        var expected = OutgoingMessage(
            topic: "t", payload: [1, 2],
            properties: MessageProperties(contentType: "application/json", correlationData: [7], expiry: .seconds(86_400)))
        expected.isExpendable = true
        #expect(message == expected)
        let other = Reply(to: "t", contentType: "a/b", qos: .atMostOnce, expiry: nil) { [] }.message
        #expect(other?.qos == .atMostOnce && other?.properties == MessageProperties(contentType: "a/b"))
        let own = OutgoingMessage(topic: "x", payload: [3], retained: true)
        expected = own
        expected.isExpendable = true
        #expect(Reply(own).message == expected)
        #expect(Reply(to: "t") { throw CancellationError() }.message == nil)
    }
}
