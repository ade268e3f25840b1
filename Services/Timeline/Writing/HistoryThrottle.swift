import MessageBus
import Synchronization

/// Gives live data precedence over imports: while live data arrive, an import's messages are stored in short
/// transactions with pauses, otherwise as many at once as there are.
package final class HistoryThrottle: Sendable {
    /// How long more live data are expected.
    private static let memory = Duration.seconds(2)
    /// The longest transaction of an import while live data arrive, which is how long they may wait for a database with
    /// one writer.
    private static let longest = Duration.milliseconds(5)

    private struct State {
        var lastLive: ContinuousClock.Instant?
        /// Messages in an import's next transaction.
        var size = 1
    }

    private let state = Mutex(State())
    private let now: @Sendable () -> ContinuousClock.Instant

    package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// Notes live data.
    package func liveArrived() {
        let now = now()
        state.withLock { $0.lastLive = now }
    }

    /// Removes the messages of the next transaction from an import's queue.
    func take(from rest: inout ArraySlice<IncomingMessage>) -> [IncomingMessage] {
        let size = isLive ? state.withLock { $0.size } : rest.count
        defer { rest = rest.dropFirst(size) }
        return Array(rest.prefix(size))
    }

    /// The pause after an import's transaction of this length: half of it.
    func pause(after spent: Duration) -> Duration {
        guard isLive else { return .zero }
        state.withLock { state in
            if spent > Self.longest { state.size = max(1, state.size / 2) }
            if spent < Self.longest / 2 { state.size += 1 }
        }
        return spent
    }

    private var isLive: Bool {
        let now = now()
        return state.withLock { $0.lastLive.map { now - $0 < Self.memory } ?? false }
    }
}
