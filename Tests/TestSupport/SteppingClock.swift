import Synchronization

/// A clock whose first sleeps end at once, and whose next one lasts until it is cancelled.
package final class SteppingClock: Clock {
    package typealias Duration = Swift.Duration
    package typealias Instant = ContinuousClock.Instant

    private let slept = Mutex<[Duration]>([])
    private let allowed: Mutex<Int>
    private let start = ContinuousClock.now

    package init(_ allowed: Int) { self.allowed = Mutex(allowed) }

    package var steps: [Duration] { slept.withLock { $0 } }
    package var now: Instant { start }
    package var minimumResolution: Duration { .nanoseconds(1) }

    /// Lets so many more sleeps end.
    package func allow(_ more: Int) { allowed.withLock { $0 += more } }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = slept.withLock { slept in
            slept.append(deadline - start)
            return slept.count
        }
        while number > allowed.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
        try Task.checkCancellation()
    }
}
