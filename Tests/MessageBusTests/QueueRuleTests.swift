import Testing

@testable import MessageBus

@Suite("Rules of the publish queue and of the batch gate")
struct QueueRuleTests {
    private typealias Queue = PublishQueue<Int>
    private typealias Gate = BatchGateState<Int>

    private func queue(_ count: Int, capacity: Int, expendable: Set<Int> = []) -> Queue {
        var queue = Queue(capacity: capacity)
        for number in 1...count {
            var message = OutgoingMessage(topic: "t", payload: [UInt8(number)])
            message.isExpendable = expendable.contains(number)
            queue.enqueue(message, ticket: UInt64(number), waiter: number)
        }
        return queue
    }

    @discardableResult
    private func send(_ queue: inout Queue) -> [UInt64] {
        let work = queue.take()
        for item in work { queue.sent(item.ticket, packet: Int32(item.ticket)) }
        #expect(work.allSatisfy { $0.message.payload == [UInt8($0.ticket)] })
        return work.map(\.ticket)
    }

    @Test("a queue sends one at least, whatever it and the broker allow", arguments: [(-1, 5), (0, 5), (1, 5), (5, 0), (5, 1)])
    func least(capacity: Int, receiveMaximum: Int) {
        var queue = queue(3, capacity: capacity)
        queue.limit(to: UInt16(receiveMaximum))
        #expect(send(&queue) == [1])
        #expect(send(&queue) == [])
    }

    @Test(
        "a queue keeps to the smaller of its own capacity and the broker's", arguments: [(2, 3, 2), (3, 2, 2), (3, 3, 3), (4, 65_535, 4)])
    func smaller(capacity: Int, receiveMaximum: Int, sent: Int) {
        var queue = queue(6, capacity: capacity)
        queue.limit(to: UInt16(receiveMaximum))
        #expect(send(&queue).count == sent)
    }

    @Test(
        "a message counts as delivered below the first code of failure, and as failed from there",
        arguments: [(UInt8(0), true), (0x7F, true), (0x80, false), (0xFF, false)])
    func codes(reason: UInt8, isDelivered: Bool) throws {
        var queue = queue(1, capacity: 1)
        send(&queue)
        let outcome = queue.answered(packet: 1, reason: reason)
        #expect(outcome?.waiter == 1)
        #expect(((try? outcome?.result.get()) != nil) == isDelivered)
        #expect(queue.counters.delivered == (isDelivered ? 1 : 0) && queue.counters.failed == (isDelivered ? 0 : 1))
        #expect(queue.answered(packet: 1, reason: 0) == nil)
    }

    @Test("a suspect has its turn only where there is room, before the others and alone, until it is answered")
    func suspects() {
        var queue = queue(5, capacity: 2, expendable: [1, 2, 4])
        #expect(send(&queue) == [1, 2])
        #expect(queue.connectionLost().isEmpty)
        #expect(queue.counters.repeated == 2)
        #expect(send(&queue) == [1, 3])
        _ = queue.answered(packet: 3, reason: 0)
        #expect(send(&queue) == [4])
        _ = queue.answered(packet: 4, reason: 0)
        _ = queue.answered(packet: 1, reason: 0)
        #expect(send(&queue) == [2, 5])
        let lost = queue.connectionLost()
        #expect(lost.map(\.waiter) == [2] && queue.counters.repeated == 3 && queue.counters.failed == 1)
        #expect(throws: BusError(.connectionLost, during: .publish, detail: "it was in flight on two connections in a row that broke")) {
            try lost.first?.result.get()
        }
        #expect(send(&queue) == [5])
    }

    @Test("a suspect that was cancelled is passed over")
    func cancelledSuspect() {
        var queue = queue(3, capacity: 5, expendable: [1, 2, 3])
        send(&queue)
        _ = queue.connectionLost()
        _ = queue.fail(1, BusError(.cancelled, during: .publish))
        #expect(send(&queue) == [2])
        #expect(queue.fail(1, BusError(.cancelled, during: .publish)) == nil)
        #expect(queue.counters.failed == 1)
    }

    @Test("a queue is running, then draining, then over, and says why it takes nothing")
    func modes() {
        var queue = queue(1, capacity: 1)
        #expect(queue.refusal == nil && !queue.isOver)
        queue.noteReconnects(7)
        #expect(queue.counters.reconnects == 7)
        queue.drain()
        #expect(queue.refusal == BusError(.closed, during: .publish, detail: "draining") && !queue.isOver)
        let error = BusError(.tlsFailed, during: .connect)
        #expect(queue.finish(error).map(\.waiter) == [1])
        #expect(queue.isOver && queue.refusal == error)
        queue.drain()
        #expect(queue.refusal == error)
        #expect(queue.take().isEmpty)
    }

    @Test("a queue over an array prepends to what is left, and is empty once all is taken")
    func fifo() {
        var queue = FIFO<Int>()
        #expect(queue.isEmpty)
        for number in 0..<3_000 { queue.append(number) }
        var taken: [Int] = []
        for _ in 0..<2_000 { if let next = queue.popFirst() { taken.append(next) } }
        queue.prepend([-2, -1])
        while let next = queue.popFirst() { taken.append(next) }
        #expect(taken == Array(0..<2_000) + [-2, -1] + Array(2_000..<3_000))
        #expect(queue.isEmpty)
        queue.append(7)
        #expect(!queue.isEmpty)
        #expect(queue.popFirst() == 7)
    }

    @Test("batches of one gate have numbers that grow, and only their own is held open or settled")
    func generations() {
        var gate = Gate()
        func offer(_ count: Int) -> UInt64? {
            _ = gate.ask(0)
            return gate.offer(count: count)?.generation
        }
        #expect(offer(1) == 1)
        gate.holdOpen(2)
        #expect(offer(1) == nil)
        gate.holdOpen(1)
        #expect(gate.offer(count: 2)?.generation == 2)
        gate.holdOpen(2)
        #expect(offer(4) == 3)
        gate.settle(9, .committed)
        gate.settle(2, .rejected)
        gate.settle(3, .rejected)
        #expect(gate.demand() == Gate.Demand(holds: true, rejected: 6))
        gate.settle(1, .committed)
        #expect(gate.demand() == Gate.Demand(committed: 1))
    }

    @Test("a lost connection takes with it what was committed or given back and not yet told")
    func lost() {
        var gate = Gate()
        func offer(_ count: Int) -> UInt64? {
            _ = gate.ask(0)
            return gate.offer(count: count)?.generation
        }
        _ = offer(3)
        gate.settle(1, .committed)
        #expect(gate.connectionLost() == 0)
        #expect(gate.demand() == Gate.Demand())
        _ = offer(3)
        gate.settle(2, .rejected)
        #expect(gate.connectionLost() == 0)
        #expect(gate.demand() == Gate.Demand())
        // Of two batches one is settled: neither is acknowledged, and both come again.
        _ = offer(3)
        gate.holdOpen(3)
        _ = offer(4)
        gate.settle(3, .committed)
        #expect(gate.connectionLost() == 7)
        #expect(gate.demand() == Gate.Demand())
        _ = gate.ask(1)
        #expect(gate.demand() == Gate.Demand())
        gate.settle(4, .committed)
        #expect(gate.demand() == Gate.Demand(asks: true, released: 1))
    }

    @Test("a gate is ending once nothing is left to connect for")
    func ending() {
        var gate = Gate()
        #expect(!gate.isEnding)
        gate.begin()
        _ = gate.ask(1)
        _ = gate.offer(count: 1)
        _ = gate.finishTaking()
        #expect(!gate.isEnding)
        _ = gate.drain()
        #expect(!gate.isEnding)
        gate.settle(1, .committed)
        #expect(gate.isEnding)
        _ = gate.finishTaking()
        #expect(gate.demand() == Gate.Demand(committed: 1, end: .drained))
        #expect(gate.drain() == nil)
        _ = gate.cancel()
        #expect(gate.isEnding)
        #expect(gate.demand() == Gate.Demand(end: .cancelled))
        #expect(gate.ask(1) == .ended)
        _ = gate.finish(nil)
        #expect(gate.cancel() == nil)
        #expect(gate.isEnding)
        #expect(gate.drain() == nil)
        #expect(gate.demand() == Gate.Demand(end: .cancelled))
    }
}
