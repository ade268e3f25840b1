import MessageBus
import Synchronization

/// Lets live data go before imports: while live data comes, an import's messages are stored in short transactions with pauses between them, else
/// as many at once as there are.
package final class HistoryThrottle: Sendable {
    /// The time after live data more of it is expected.
    private static let memory = Duration.seconds(2)
    /// The time an import's transaction should take at most while live data comes: that long live data may stand before a database with one writer.
    private static let longest = Duration.milliseconds(5)

    private struct State {
        var lastLive: ContinuousClock.Instant?
        /// Messages in an import's next transaction.
        var size = 1
    }

    private let state = Mutex(State())
    private let now: @Sendable () -> ContinuousClock.Instant

    package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// Live data has come.
    package func liveArrived() {
        let now = now()
        state.withLock { $0.lastLive = now }
    }

    /// Takes an import's messages for the next transaction off the rest.
    func take(from rest: inout ArraySlice<IncomingMessage>) -> [IncomingMessage] {
        let size = isLive ? state.withLock { $0.size } : rest.count
        defer { rest = rest.dropFirst(size) }
        return Array(rest.prefix(size))
    }

    /// The time to leave machine and database to others after an import's transaction that took so long: half of the time.
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
