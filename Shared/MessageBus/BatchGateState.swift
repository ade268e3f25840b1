/// The ownership of a batch between the connection's thread and the consuming task. A value without I/O.
///
/// At most one batch is out. What was read stays with the thread until somebody asks, and nothing is read until then.
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
        /// Somebody waits for a batch and none is out.
        var asks = false
        /// A batch read over this connection is out: nothing may be written.
        var holds = false
        /// The messages of a batch that was given back: the connection is to be dropped without writing.
        var rejected: Int?
        /// The messages of batches that were committed since the last look: their acknowledgements may leave.
        var committed = 0
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
    }

    private enum Mode {
        case running, draining, cancelled
        case finished(BusError?)
    }

    private var mode = Mode.running
    private var waiter: Waiter?
    private var outstanding: Outstanding?
    private var generation: UInt64 = 0
    private var rejected: Int?
    private var committed = 0

    /// The consuming task wants a batch. Nil when it has to wait.
    mutating func ask(_ waiter: Waiter) -> Answer? {
        switch mode {
        case .finished(let error?): return .failed(error)
        case .finished, .draining, .cancelled: return .ended
        case .running where self.waiter != nil:
            return .failed(BusError(.internalFailure, during: .receive, detail: "two tasks iterate the batches of one consumer"))
        case .running:
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
        guard outstanding == nil, case .running = mode, let waiter = withdraw() else { return nil }
        generation += 1
        outstanding = Outstanding(generation: generation, count: count)
        return (waiter, generation)
    }

    /// The batch of that generation is settled. An outcome for a batch of a lost connection changes nothing.
    mutating func settle(_ settled: UInt64, _ outcome: MessageBatch.Outcome) {
        guard let batch = outstanding, batch.generation == settled else { return }
        outstanding = nil
        if batch.isOrphan { return }
        switch outcome {
        case .committed: committed += batch.count
        case .rejected: rejected = batch.count
        }
    }

    /// The connection is gone: what is out will come again. Returns how many messages that concerns.
    mutating func connectionLost() -> Int {
        defer {
            rejected = nil
            committed = 0
        }
        guard let batch = outstanding, !batch.isOrphan else { return 0 }
        outstanding?.isOrphan = true
        return batch.count
    }

    /// Returns the permitted next step, and takes the verdicts since the last call.
    mutating func demand() -> Demand {
        defer {
            rejected = nil
            committed = 0
        }
        var demand = Demand(rejected: rejected, committed: committed)
        if let outstanding { demand.holds = !outstanding.isOrphan } else { demand.asks = waiter != nil }
        switch mode {
        case .running: break
        case .draining: demand.end = outstanding == nil ? .drained : nil
        case .cancelled, .finished: demand.end = .cancelled
        }
        return demand
    }

    /// A Boolean value that indicates whether there is nothing left to connect for.
    var isEnding: Bool {
        switch mode {
        case .running: false
        case .draining: outstanding == nil
        case .cancelled, .finished: true
        }
    }

    /// Takes no more. Returns who waits in vain.
    mutating func drain() -> Waiter? {
        guard case .running = mode else { return nil }
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
