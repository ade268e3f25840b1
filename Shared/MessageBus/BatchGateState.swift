/// The ownership of a batch between the connection's thread and the consuming task. A value without I/O.
///
/// At most one batch is out, unless it is held open: then another may follow it, and nothing is acknowledged before all of them are settled.
/// What was read stays with the thread until somebody asks, and nothing is read until then.
struct BatchGateState<Waiter> {
    /// The way the consumer is to stop.
    enum End: Equatable {
        /// After the batch that is out is settled and its acknowledgements have left.
        case drained
        /// At once; the batch that is out comes again.
        case cancelled
    }

    /// The permitted next step of the connection's thread.
    struct Demand: Equatable {
        /// Somebody waits for a batch and none is out, or only such as are held open.
        var asks = false
        /// Batches read over this connection are out: nothing may be written.
        var holds = false
        /// The messages of a batch that was given back: the connection is to be dropped without writing.
        var rejected: Int?
        /// The messages of batches that were committed since the last look: their acknowledgements may leave.
        var committed = 0
        /// The batches of lost connections that were settled since the last look: nobody works on them any more.
        var released = 0
        /// What the broker has sent already is still taken, then the end comes.
        var isFinishing = false
        var end: End?
    }

    /// The immediate answer to a request for a batch that gets none.
    enum Answer: Equatable {
        case ended
        case failed(BusError)
    }

    private struct Outstanding {
        var generation: UInt64
        var count: Int
        /// The connection that it was read over is gone.
        var isOrphan = false
        /// Another may follow it before it is settled.
        var isHeldOpen = false
    }

    private enum Mode {
        case running, finishing, draining, cancelled
        case finished(BusError?)
    }

    private var mode = Mode.running
    /// There is a thread.
    private var hasBegun = false
    private var waiter: Waiter?
    /// In the order of their reading.
    private var outstanding: [Outstanding] = []
    private var generation: UInt64 = 0
    private var rejected: Int?
    private var committed = 0
    private var released = 0
    /// The messages that are committed behind batches that are still held.
    private var behind = 0

    /// The consuming task wants a batch. Nil when it has to wait.
    mutating func ask(_ waiter: Waiter) -> Answer? {
        switch mode {
        case .finished(let error?): return .failed(error)
        case .finished, .draining, .cancelled: return .ended
        case .running where self.waiter != nil, .finishing where self.waiter != nil:
            return .failed(BusError(.internalFailure, during: .receive, detail: "two tasks iterate the batches of one consumer"))
        case .running, .finishing:
            self.waiter = waiter
            return nil
        }
    }

    /// The consuming task no longer wants a batch.
    mutating func withdraw() -> Waiter? {
        defer { waiter = nil }
        return waiter
    }

    /// The thread offers what it read. Nil when nobody wants it now; otherwise it is out, under a generation of its own.
    mutating func offer(count: Int) -> (waiter: Waiter, generation: UInt64)? {
        guard mayFollow, takes, let waiter = withdraw() else { return nil }
        generation += 1
        outstanding.append(Outstanding(generation: generation, count: count))
        return (waiter, generation)
    }

    /// A Boolean value that indicates whether somebody may still be given a batch.
    private var takes: Bool {
        switch mode {
        case .running, .finishing: true
        case .draining, .cancelled, .finished: false
        }
    }

    private var mayFollow: Bool { outstanding.allSatisfy { $0.isHeldOpen && !$0.isOrphan } }

    /// The batch of that generation will take long: another may follow it.
    mutating func holdOpen(_ held: UInt64) {
        for index in outstanding.indices where outstanding[index].generation == held { outstanding[index].isHeldOpen = true }
    }

    /// The batch of that generation is settled. An outcome for a batch of a lost connection changes nothing.
    mutating func settle(_ settled: UInt64, _ outcome: MessageBatch.Outcome) {
        guard let index = outstanding.firstIndex(where: { $0.generation == settled }) else { return }
        let batch = outstanding.remove(at: index)
        if batch.isOrphan { return released += 1 }
        switch outcome {
        case .committed:
            behind += batch.count
            if outstanding.isEmpty { (committed, behind) = (committed + behind, 0) }
        case .rejected: rejected = (rejected ?? 0) + batch.count
        }
    }

    /// The connection is gone: what is out will come again. Returns how many messages that concerns.
    mutating func connectionLost() -> Int {
        defer {
            rejected = nil
            (committed, behind) = (0, 0)
        }
        let lost = outstanding.filter { !$0.isOrphan }.reduce(behind) { $0 + $1.count }
        for index in outstanding.indices { outstanding[index].isOrphan = true }
        return lost
    }

    /// Returns the permitted next step, and takes the verdicts since the last call.
    mutating func demand() -> Demand {
        var demand = Demand(asks: waiter != nil && mayFollow, holds: outstanding.contains { !$0.isOrphan }, rejected: rejected)
        rejected = nil
        (demand.committed, committed) = (committed, 0)
        (demand.released, released) = (released, 0)
        switch mode {
        case .running: break
        case .finishing: demand.isFinishing = true
        case .draining: demand.end = outstanding.isEmpty ? .drained : nil
        case .cancelled, .finished: demand.end = .cancelled
        }
        return demand
    }

    /// A Boolean value that indicates whether there is nothing left to connect for.
    var isEnding: Bool {
        switch mode {
        case .running: false
        case .finishing, .draining: outstanding.isEmpty
        case .cancelled, .finished: true
        }
    }

    /// There is a thread from now on.
    mutating func begin() { hasBegun = true }

    /// Takes what the broker has sent already; the thread says when that is over, by `drain()`. Without a thread nothing comes: returns who waits in vain.
    mutating func finishTaking() -> Waiter? {
        guard hasBegun else { return drain() }
        if case .running = mode { mode = .finishing }
        return nil
    }

    /// Takes no more. Returns who waits in vain.
    mutating func drain() -> Waiter? {
        guard takes else { return nil }
        mode = .draining
        return withdraw()
    }

    /// Stops at once. Returns who waits in vain.
    mutating func cancel() -> Waiter? {
        if case .finished = mode { return nil }
        mode = .cancelled
        return withdraw()
    }

    /// The thread has ended. Returns who waits in vain.
    mutating func finish(_ error: BusError?) -> Waiter? {
        mode = .finished(error)
        return withdraw()
    }
}
