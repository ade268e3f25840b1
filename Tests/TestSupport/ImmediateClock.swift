import Synchronization

/// A clock on which every sleep ends at once, its time moved to the sleep's end.
package final class ImmediateClock: Clock {
    package typealias Duration = Swift.Duration
    package typealias Instant = ContinuousClock.Instant

    private let time = Mutex(ContinuousClock.now)

    package init() {}

    package var now: Instant { time.withLock { $0 } }
    package var minimumResolution: Duration { .nanoseconds(1) }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        time.withLock { $0 = max($0, deadline) }
    }
}
