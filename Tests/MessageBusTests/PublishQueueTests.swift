import Testing

@testable import MessageBus

@Suite("The publish queue")
struct PublishQueueTests {
    private typealias Queue = PublishQueue<String>

    private func message(_ number: Int) -> OutgoingMessage { OutgoingMessage(topic: "t", payload: [UInt8(number)]) }

    /// A queue with messages 1…count, waited for by "w1"… .
    private func queue(_ count: Int, capacity: Int = 100) -> Queue {
        var queue = Queue(capacity: capacity)
        for number in 1...count { queue.enqueue(message(number), ticket: UInt64(number), waiter: "w\(number)") }
        return queue
    }

    /// Sends everything there is room for, under packet identifiers equal to the tickets.
    @discardableResult
    private func send(_ queue: inout Queue) -> [UInt64] {
        let work = queue.take()
        for item in work { queue.sent(item.ticket, packet: Int32(item.ticket)) }
        return work.map(\.ticket)
    }

    @Test("has no more in flight than its capacity, and goes on as answers come")
    func bounded() {
        var queue = queue(5, capacity: 2)
        #expect(send(&queue) == [1, 2])
        #expect(send(&queue).isEmpty)
        _ = queue.answered(packet: 1, reason: 0)
        #expect(send(&queue) == [3])
    }

    @Test("keeps to the broker's receive maximum, and takes its own capacity again with a broker that allows it")
    func receiveMaximum() {
        var queue = queue(10, capacity: 5)
        queue.limit(to: 2)
        #expect(send(&queue) == [1, 2])
        _ = queue.connectionLost()
        queue.limit(to: 100)
        #expect(send(&queue) == [1, 2, 3, 4, 5])
    }

    @Test("sends what was not answered again, in order and before the rest, after a lost connection")
    func repeats() {
        var queue = queue(5, capacity: 3)
        send(&queue)
        _ = queue.answered(packet: 2, reason: 0)
        _ = queue.connectionLost()
        #expect(queue.counters.repeated == 2)
        #expect(send(&queue) == [1, 3, 4])
    }

    @Test("takes success and no matching subscribers for delivered", arguments: [UInt8(0x00), 0x10])
    func delivered(reason: UInt8) throws {
        var queue = queue(1)
        send(&queue)
        let answered = queue.answered(packet: 1, reason: reason)
        let outcome = try #require(answered)
        #expect(outcome.waiter == "w1")
        #expect(throws: Never.self) { try outcome.result.get() }
        #expect(queue.counters.delivered == 1)
    }

    @Test(
        "turns a refusal into its typed error",
        arguments: [
            (UInt8(0x87), BusError.Code.notAuthorized), (0x97, .quotaExceeded), (0x95, .messageTooLarge), (0x90, .invalidTopic),
            (0x80, .refused),
        ])
    func refused(reason: UInt8, code: BusError.Code) throws {
        var queue = queue(1)
        send(&queue)
        let answered = queue.answered(packet: 1, reason: reason)
        let outcome = try #require(answered)
        #expect(throws: BusError(code, during: .publish, reason: reason)) { try outcome.result.get() }
    }

    @Test("answers a cancelled call at once, and keeps its place in flight until the broker answers")
    func cancelled() {
        var queue = queue(2, capacity: 1)
        send(&queue)
        #expect(queue.fail(1, BusError(.cancelled, during: .publish))?.waiter == "w1")
        #expect(send(&queue).isEmpty)
        #expect(queue.answered(packet: 1, reason: 0) == nil)
        #expect(send(&queue) == [2])
    }

    @Test("does not send what was cancelled before its turn, nor again what was cancelled in flight")
    func cancelledBeforeSending() {
        var queue = queue(3, capacity: 1)
        _ = queue.fail(2, BusError(.cancelled, during: .publish))
        send(&queue)
        _ = queue.fail(1, BusError(.cancelled, during: .publish))
        _ = queue.connectionLost()
        #expect(send(&queue) == [3])
    }

    @Test("puts back what the connection did not take, in order")
    func putsBack() {
        var queue = queue(4, capacity: 3)
        let work = queue.take()
        queue.sent(1, packet: 1)
        queue.putBack(Array(work[1...]))
        _ = queue.connectionLost()
        #expect(send(&queue) == [1, 2, 3])
    }

    @Test("drains: refuses what is new, is over when the last answer has come")
    func drains() {
        var queue = queue(1)
        queue.drain()
        #expect(queue.refusal?.code == .closed)
        #expect(!queue.isOver)
        send(&queue)
        _ = queue.answered(packet: 1, reason: 0)
        #expect(queue.isOver)
    }

    @Test("ends with an error for everyone who waits, once")
    func finishes() {
        var queue = queue(3)
        send(&queue)
        let error = BusError(.cancelled, during: .publish)
        #expect(Set(queue.finish(error).map(\.waiter)) == ["w1", "w2", "w3"])
        #expect(queue.finish(error).isEmpty)
        #expect(queue.refusal == error)
        #expect(queue.answered(packet: 1, reason: 0) == nil)
        #expect(queue.counters.failed == 3 && queue.counters.inFlight == 0)
    }

    @Test("accounts for every message: accepted is delivered, failed or in flight")
    func counters() {
        var queue = queue(6, capacity: 4)
        send(&queue)
        _ = queue.answered(packet: 1, reason: 0)
        _ = queue.answered(packet: 2, reason: 0x87)
        _ = queue.fail(6, BusError(.cancelled, during: .publish))
        #expect(queue.counters.accepted == 6)
        #expect(queue.counters.delivered == 1)
        #expect(queue.counters.failed == 2)
        #expect(queue.counters.inFlight == 3)
    }

    @Test("sends expendable messages again one at a time after a lost connection, and gives up the one that is in flight at the next")
    func expendable() {
        var queue = Queue(capacity: 100)
        for number in 1...4 {
            var message = message(number)
            message.isExpendable = number != 2
            queue.enqueue(message, ticket: UInt64(number), waiter: "w\(number)")
        }
        #expect(send(&queue) == [1, 2, 3, 4])
        #expect(queue.connectionLost().isEmpty)
        // One suspect at a time, the ordinary ones beside it.
        #expect(send(&queue) == [1, 2])
        _ = queue.answered(packet: 1, reason: 0)
        #expect(send(&queue) == [3])
        let outcomes = queue.connectionLost()
        #expect(outcomes.map(\.waiter) == ["w3"])
        #expect(throws: BusError.self) { try outcomes.first?.result.get() }
        // What was not in flight then is not to blame.
        #expect(send(&queue).sorted() == [2, 4])
        #expect(queue.counters.failed == 1)
    }

    @Test("puts a suspect that the connection could not take back among the suspects")
    func suspectPutBack() {
        var queue = Queue(capacity: 100)
        var message = message(1)
        message.isExpendable = true
        queue.enqueue(message, ticket: 1, waiter: "w1")
        queue.enqueue(self.message(2), ticket: 2, waiter: "w2")
        send(&queue)
        _ = queue.connectionLost()
        queue.putBack(queue.take())
        #expect(queue.connectionLost().isEmpty)
        #expect(send(&queue) == [1, 2])
        #expect(queue.connectionLost().map(\.waiter) == ["w1"])
    }
}
