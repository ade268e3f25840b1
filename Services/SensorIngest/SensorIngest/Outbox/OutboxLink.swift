import Synchronization

/// What the outbox knows of the connection on which confirmations come. Threading: from anywhere.
package final class OutboxLink: Sendable {
    private struct State {
        var carriesConfirmations = true
        var hasConnected = false
        var hasReturned = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether the timeline can be asked for confirmations: over MQTT 3.1.1 a message has no response topic.
    package var carriesConfirmations: Bool { state.withLock { $0.carriesConfirmations } }

    /// Takes note of a connection; called on its thread.
    package func connected(isVersion5: Bool) {
        state.withLock { state in
            state.carriesConfirmations = isVersion5
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
