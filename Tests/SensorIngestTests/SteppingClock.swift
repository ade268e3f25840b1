import Synchronization

/// A clock whose first sleeps end at once, and whose next one lasts until it is cancelled.
final class SteppingClock: Clock {
    private let slept = Mutex<[Swift.Duration]>([])
    private let allowed: Mutex<Int>
    private let start = ContinuousClock.now

    init(_ allowed: Int) { self.allowed = Mutex(allowed) }

    var steps: [Swift.Duration] { slept.withLock { $0 } }
    var now: ContinuousClock.Instant { start }
    var minimumResolution: Swift.Duration { .nanoseconds(1) }

    /// Lets so many more sleeps end.
    func allow(_ more: Int) { allowed.withLock { $0 += more } }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Swift.Duration?) async throws {
        let number = slept.withLock { slept in
            slept.append(deadline - start)
            return slept.count
        }
        while number > allowed.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
        try Task.checkCancellation()
    }
}
