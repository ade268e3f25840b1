import Synchronization

/// Counts refusals, so that the audit is told of sixty a minute at most, and then of how many more there were. Threading: from anywhere.
package final class RefusalCount: Sendable {
    private struct State {
        var began = ContinuousClock.now
        var told = 0
        var omitted = 0
    }

    private static let most = 60
    private let state = Mutex(State())

    package init() {}

    /// Notes a refusal; the number of those before it that were passed over, nil where it is one of them.
    package func note(at now: ContinuousClock.Instant = .now) -> Int? {
        state.withLock { state in
            if state.began.duration(to: now) >= .seconds(60) { (state.began, state.told) = (now, 0) }
            guard state.told < Self.most else {
                state.omitted += 1
                return nil
            }
            state.told += 1
            defer { state.omitted = 0 }
            return state.omitted
        }
    }
}
