import Synchronization

/// The hand-over between the connection's thread and the consuming task. Continuations resume outside the lock.
final class BatchGate: Sendable {
    typealias Answer = Result<MessageBatch?, BusError>
    typealias Waiter = CheckedContinuation<Answer, Never>
    typealias State = BatchGateState<Waiter>

    /// Signalled when `demand()` may have changed.
    let wakeUp = WakeUp()
    private let state = Mutex(State())

    /// The next batch, nil when there will be none or the task is cancelled.
    func next() async throws(BusError) -> MessageBatch? {
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: Waiter) in
                ask(waiter)
            }
        } onCancel: {
            state.withLock { $0.withdraw() }?.resume(returning: .success(nil))
        }
        return try answer.get()
    }

    private func ask(_ waiter: Waiter) {
        // Cancellation may have come before anybody waited, and is not told a second time.
        let answer = state.withLock { Task.isCancelled ? .ended : $0.ask(waiter) }
        switch answer {
        case .ended: waiter.resume(returning: .success(nil))
        case .failed(let error): waiter.resume(returning: .failure(error))
        case nil: wakeUp.signal()
        }
    }

    /// Hands a batch over. False when nobody wants one now.
    func offer(_ messages: [IncomingMessage]) -> Bool {
        guard let (waiter, generation) = state.withLock({ $0.offer(count: messages.count) }) else { return false }
        let batch = MessageBatch(messages: messages, holdOpen: { [weak self] in self?.holdOpen(generation) }) { [weak self] outcome in
            self?.settle(generation, outcome)
        }
        waiter.resume(returning: .success(batch))
        return true
    }

    private func settle(_ generation: UInt64, _ outcome: MessageBatch.Outcome) {
        state.withLock { $0.settle(generation, outcome) }
        wakeUp.signal()
    }

    private func holdOpen(_ generation: UInt64) {
        state.withLock { $0.holdOpen(generation) }
        wakeUp.signal()
    }

    func demand() -> State.Demand { state.withLock { $0.demand() } }

    var isEnding: Bool { state.withLock { $0.isEnding } }

    func connectionLost() -> Int { state.withLock { $0.connectionLost() } }

    /// The thread has begun.
    func begin() { state.withLock { $0.begin() } }

    func finishTaking() {
        state.withLock { $0.finishTaking() }?.resume(returning: .success(nil))
        wakeUp.signal()
    }

    func drain() {
        state.withLock { $0.drain() }?.resume(returning: .success(nil))
        wakeUp.signal()
    }

    func cancel() {
        state.withLock { $0.cancel() }?.resume(returning: .success(nil))
        wakeUp.signal()
    }

    func finish(_ error: BusError?) {
        let answer: Answer = error.map { .failure($0) } ?? .success(nil)
        state.withLock { $0.finish(error) }?.resume(returning: answer)
    }
}
