import Synchronization

/// What the outbox knows of the connection on which confirmations come. Threading: from anywhere.
package final class OutboxLink: Sendable {
    private struct State {
        var hasConnected = false
        var hasReturned = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Takes note of a connection; called on its thread.
    package func connected() {
        state.withLock { state in
            state.hasReturned = state.hasReturned || state.hasConnected
            state.hasConnected = true
        }
    }

    /// Whether the connection was lost and came back since this was asked last.
    func takeReturn() -> Bool {
        state.withLock { state in
            defer { state.hasReturned = false }
            return state.hasReturned
        }
    }
}
