import Synchronization

/// A gate that opens once and stays open.
package final class Latch: Sendable {
    private struct State {
        var isOpen = false
        var next = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())

    package init() {}

    /// A Boolean value that indicates whether it was opened.
    package var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Opens it, from any thread; again changes nothing.
    package func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting.values.map { $0 }
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when it is open, or when the task is cancelled.
    package func wait() async {
        let ticket = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if !enter(ticket, continuation) { continuation.resume() }
            }
        } onCancel: {
            leave(ticket)
        }
        state.withLock { _ = $0.cancelled.remove(ticket) }
    }

    private func enter(_ ticket: Int, _ continuation: CheckedContinuation<Void, Never>) -> Bool {
        state.withLock { state in
            guard !state.isOpen, !state.cancelled.contains(ticket) else { return false }
            state.waiting[ticket] = continuation
            return true
        }
    }

    private func leave(_ ticket: Int) {
        let continuation = state.withLock { state in
            state.cancelled.insert(ticket)
            return state.waiting.removeValue(forKey: ticket)
        }
        continuation?.resume()
    }
}
