import Testing

@testable import MessageBus

@Suite("The batch gate")
struct BatchGateStateTests {
    private typealias Gate = BatchGateState<Int>
    private typealias Demand = Gate.Demand

    /// A gate with a batch of ten messages out, and its generation.
    private func gateWithBatchOut() throws -> (Gate, UInt64) {
        var gate = Gate()
        #expect(gate.ask(1) == nil)
        let offered = gate.offer(count: 10)
        return (gate, try #require(offered).generation)
    }

    @Test("asks for nothing to be read until somebody wants a batch")
    func idle() {
        var gate = Gate()
        #expect(gate.demand() == Demand())
        #expect(gate.offer(count: 1) == nil)
        #expect(gate.ask(1) == nil)
        #expect(gate.demand() == Demand(asks: true))
    }

    @Test("holds writing from the hand-over to the settling, and tells the verdict once")
    func holds() throws {
        var (gate, generation) = try gateWithBatchOut()
        #expect(gate.demand() == Demand(holds: true))
        gate.settle(generation, .committed)
        #expect(gate.demand() == Demand(committed: 10))
        #expect(gate.demand() == Demand())
    }

    @Test("finishes at once where no thread has begun that could take anything, and whoever waits is told")
    func unbegun() {
        var gate = BatchGateState<Int>()
        #expect(gate.ask(1) == nil)
        #expect(gate.finishTaking() == 1)
        #expect(gate.ask(2) == .ended && gate.isEnding)
        gate.begin()
        #expect(gate.demand() == Demand(end: .drained))
    }

    @Test("while it finishes, takes what comes; then it ends as if it had taken nothing more")
    func finishing() throws {
        var (gate, generation) = try gateWithBatchOut()
        gate.begin()
        #expect(gate.finishTaking() == nil)
        #expect(gate.ask(2) == nil)
        #expect(gate.demand() == Demand(holds: true, isFinishing: true))
        gate.settle(generation, .committed)
        #expect(gate.demand() == Demand(asks: true, committed: 10, isFinishing: true))
        #expect(gate.isEnding, "nothing is out: there is nothing to connect for")
        #expect(gate.offer(count: 3)?.waiter == 2)
        #expect(!gate.isEnding)
        _ = gate.ask(3)
        #expect(gate.drain() == 3)
        #expect(gate.offer(count: 1) == nil)
        #expect(gate.demand() == Demand(holds: true))
    }

    @Test("hands out no second batch while one is out, also when already asked for")
    func oneAtATime() throws {
        var (gate, generation) = try gateWithBatchOut()
        #expect(gate.ask(2) == nil)
        #expect(gate.offer(count: 1) == nil)
        #expect(gate.demand() == Demand(holds: true))
        gate.settle(generation, .committed)
        #expect(gate.offer(count: 1)?.waiter == 2)
    }

    @Test("lets others follow a batch that is held open, and tells of what is committed only once nothing is held")
    func heldOpen() throws {
        var (gate, first) = try gateWithBatchOut()
        gate.holdOpen(first)
        #expect(gate.demand() == Demand(holds: true))
        _ = gate.ask(2)
        #expect(gate.demand() == Demand(asks: true, holds: true))
        let followed = gate.offer(count: 5)
        let second = try #require(followed).generation
        #expect(gate.ask(3) == nil)
        #expect(gate.demand() == Demand(holds: true), "the second is not held open")
        gate.settle(first, .committed)
        #expect(gate.demand() == Demand(holds: true))
        gate.settle(second, .committed)
        #expect(gate.demand() == Demand(asks: true, committed: 15))
    }

    @Test("gives back with one batch everything that is not acknowledged yet")
    func heldOpenRejected() throws {
        var (gate, first) = try gateWithBatchOut()
        gate.holdOpen(first)
        _ = gate.ask(2)
        let followed = gate.offer(count: 5)
        let second = try #require(followed).generation
        gate.holdOpen(second)
        _ = gate.ask(3)
        let last = gate.offer(count: 2)
        let third = try #require(last).generation
        gate.settle(first, .committed)
        gate.settle(second, .rejected)
        #expect(gate.demand() == Demand(holds: true, rejected: 5))
        #expect(gate.connectionLost() == 12)
        gate.settle(third, .committed)
        #expect(gate.demand() == Demand(released: 1))
    }

    @Test("tells that a batch was given back")
    func rejects() throws {
        var (gate, generation) = try gateWithBatchOut()
        gate.settle(generation, .rejected)
        #expect(gate.demand() == Demand(rejected: 10))
    }

    @Test("ignores what becomes of a batch whose connection is gone", arguments: [MessageBatch.Outcome.committed, .rejected])
    func orphan(outcome: MessageBatch.Outcome) throws {
        var (gate, generation) = try gateWithBatchOut()
        #expect(gate.connectionLost() == 10)
        #expect(gate.connectionLost() == 0)
        #expect(gate.demand() == Demand(), "the new connection is not held")
        gate.settle(generation, outcome)
        #expect(gate.demand() == Demand(released: 1), "but that nobody works on it any more")
        #expect(gate.demand() == Demand())
    }

    @Test("hands nothing over while a batch of a lost connection is still at work")
    func orphanBlocksOffer() throws {
        var (gate, generation) = try gateWithBatchOut()
        _ = gate.connectionLost()
        #expect(gate.ask(2) == nil)
        #expect(gate.offer(count: 1) == nil)
        gate.settle(generation, .committed)
        #expect(gate.offer(count: 1)?.waiter == 2)
    }

    @Test("ignores a settling of an earlier batch")
    func staleGeneration() throws {
        var (gate, first) = try gateWithBatchOut()
        gate.settle(first, .committed)
        _ = gate.ask(2)
        let offered = gate.offer(count: 3)
        let second = try #require(offered).generation
        gate.settle(first, .rejected)
        #expect(gate.demand() == Demand(holds: true, committed: 10))
        gate.settle(second, .committed)
        #expect(gate.demand() == Demand(committed: 3))
    }

    @Test("drains only after the batch that is out is settled")
    func drains() throws {
        var (gate, generation) = try gateWithBatchOut()
        #expect(gate.drain() == nil)
        #expect(gate.ask(2) == .ended)
        #expect(gate.demand() == Demand(holds: true))
        #expect(!gate.isEnding)
        gate.settle(generation, .committed)
        #expect(gate.isEnding)
        #expect(gate.demand() == Demand(committed: 10, end: .drained))
    }

    @Test("cancels at once, the batch that is out still unacknowledged")
    func cancels() throws {
        var (gate, _) = try gateWithBatchOut()
        #expect(gate.cancel() == nil)
        #expect(gate.demand() == Demand(holds: true, end: .cancelled))
    }

    @Test("returns who waits in vain when it drains, is cancelled or ends")
    func waitersEnd() {
        for end in [{ $0.drain() }, { $0.cancel() }, { $0.finish(nil) }, { $0.withdraw() }] as [(inout Gate) -> Int?] {
            var gate = Gate()
            _ = gate.ask(7)
            #expect(end(&gate) == 7)
            #expect(gate.offer(count: 1) == nil)
        }
    }

    @Test("answers every question after its end with what ended it")
    func afterEnd() {
        let error = BusError(.tlsFailed, during: .connect)
        var gate = Gate()
        _ = gate.finish(error)
        #expect(gate.ask(1) == .failed(error))
        var fine = Gate()
        _ = fine.finish(nil)
        #expect(fine.ask(1) == .ended)
    }

    @Test("refuses a second task that iterates at the same time")
    func secondIterator() {
        var gate = Gate()
        _ = gate.ask(1)
        guard case .failed(let error) = gate.ask(2) else {
            Issue.record("a second waiter was accepted")
            return
        }
        #expect(error.code == .internalFailure)
        #expect(gate.offer(count: 1)?.waiter == 1)
    }
}
