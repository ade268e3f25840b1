import Synchronization

/// A clock that stands until a test moves it. Threading: from anywhere.
package final class StandingClock: Sendable {
    private let time = Mutex(ContinuousClock.now)

    package init() {}

    package var now: ContinuousClock.Instant { time.withLock { $0 } }

    package func pass(_ duration: Duration) { time.withLock { $0 += duration } }
}
