import Synchronization

/// The callers of `publish` that wait, between their tasks and the connection's thread. Continuations resume outside the lock.
final class PendingPublishes: Sendable {
    typealias Queue = PublishQueue<CheckedContinuation<Result<Void, BusError>, Never>>

    /// Marks a call as cancelled, for the case that this comes before it waits.
    private final class Call: Sendable {
        let ticket: UInt64
        let isCancelled = Atomic(false)
        init(ticket: UInt64) { self.ticket = ticket }
    }

    let wakeUp = WakeUp()
    private let queue: Mutex<Queue>
    private let tickets = Atomic<UInt64>(0)

    init(capacity: Int) {
        queue = Mutex(Queue(capacity: capacity))
    }

    /// Waits until the message is acknowledged, refused, or given up.
    func publish(_ message: OutgoingMessage) async throws(BusError) {
        try message.check(during: .publish)
        let call = Call(ticket: tickets.wrappingAdd(1, ordering: .relaxed).newValue)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in enqueue(message, call, waiter) }
        } onCancel: {
            cancel(call)
        }
        try result.get()
    }

    private func enqueue(_ message: OutgoingMessage, _ call: Call, _ waiter: CheckedContinuation<Result<Void, BusError>, Never>) {
        let refusal = queue.withLock { queue -> BusError? in
            if call.isCancelled.load(ordering: .relaxed) { return Self.cancelled }
            if let refusal = queue.refusal { return refusal }
            queue.enqueue(message, ticket: call.ticket, waiter: waiter)
            return nil
        }
        if let refusal { waiter.resume(returning: .failure(refusal)) } else { wakeUp.signal() }
    }

    private func cancel(_ call: Call) {
        let outcome = queue.withLock { queue in
            call.isCancelled.store(true, ordering: .relaxed)
            return queue.fail(call.ticket, Self.cancelled)
        }
        resume(outcome)
    }

    private static let cancelled = BusError(.cancelled, during: .publish)

    /// Changes the queue, and tells those whom it concerns.
    func update(_ change: (inout Queue) -> [Queue.Outcome]) {
        for outcome in queue.withLock({ change(&$0) }) { resume(outcome) }
    }

    func withQueue<Value: Sendable>(_ body: (inout Queue) -> sending Value) -> Value {
        queue.withLock { body(&$0) }
    }

    /// Ends, and lets the connection's thread notice.
    func finish(_ error: BusError) {
        update { $0.finish(error) }
        wakeUp.signal()
    }

    private func resume(_ outcome: Queue.Outcome?) {
        outcome?.waiter.resume(returning: outcome?.result ?? .success(()))
    }
}
