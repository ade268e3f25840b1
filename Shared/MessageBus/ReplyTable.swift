import Synchronization

/// The requests that wait for an answer, and those that wait for the subscription.
final class ReplyTable: Sendable {
    private struct State {
        var isReady = false
        var end: BusError?
        var replies: [UInt64: AsyncStream<IncomingMessage>.Continuation] = [:]
        var waiting: [UInt64: AsyncStream<Void>.Continuation] = [:]
    }

    private let state = Mutex(State())

    /// The reason why nothing is answered any more.
    var end: BusError? { state.withLock { $0.end } }

    /// Returns whether answers would arrive now. Lets everyone go on who waits for that.
    func setReady(_ isReady: Bool) {
        let waiting = state.withLock { state -> [AsyncStream<Void>.Continuation] in
            state.isReady = isReady
            guard isReady else { return [] }
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.finish() }
    }

    /// Ends once answers would arrive, or with the table.
    func readiness(_ id: UInt64) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let isOver = state.withLock { state -> Bool in
            guard !state.isReady, state.end == nil else { return true }
            state.waiting[id] = continuation
            return false
        }
        if isOver { continuation.finish() }
        return stream
    }

    /// Yields the answer to a request, or ends with the table.
    func expect(_ id: UInt64) -> AsyncStream<IncomingMessage> {
        let (stream, continuation) = AsyncStream<IncomingMessage>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let isOver = state.withLock { state -> Bool in
            guard state.end == nil else { return true }
            state.replies[id] = continuation
            return false
        }
        if isOver { continuation.finish() }
        return stream
    }

    /// The request no longer waits.
    func forget(_ id: UInt64) {
        let (reply, waiting) = state.withLock { state in
            (state.replies.removeValue(forKey: id), state.waiting.removeValue(forKey: id))
        }
        reply?.finish()
        waiting?.finish()
    }

    /// An answer; one that nobody waits for is dropped.
    func answer(_ id: UInt64, with message: IncomingMessage) {
        let continuation = state.withLock { $0.replies.removeValue(forKey: id) }
        continuation?.yield(message)
        continuation?.finish()
    }

    func finish(_ error: BusError) {
        let (replies, waiting) = state.withLock { state in
            if state.end == nil { state.end = error }
            defer {
                state.replies = [:]
                state.waiting = [:]
            }
            return (Array(state.replies.values), Array(state.waiting.values))
        }
        for continuation in replies { continuation.finish() }
        for continuation in waiting { continuation.finish() }
    }
}
