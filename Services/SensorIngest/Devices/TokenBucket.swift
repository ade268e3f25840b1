package import VigilSchema

/// An allowance that fills at a rate, up to so many seconds' worth, and from which each message or reject takes one.
package struct TokenBucket: Sendable, Hashable {
    private var allowance: Double?
    private var last: Timestamp?

    package init() {}

    /// Takes a cost, if there is as much, or if there is all that there can be: what costs more is owed, and nothing is given before that has filled up.
    /// - Parameters:
    ///   - full: The most that there can be.
    ///   - rate: How much comes a second.
    package mutating func take(_ cost: Double, full: Double, rate: Double, at time: Timestamp) -> Bool {
        let passed = last.map { max(0, time.seconds - $0.seconds) } ?? 0
        let filled = min(full, (allowance ?? full) + passed * rate)
        last = time
        let isEnough = filled >= min(cost, full)
        allowance = isEnough ? filled - cost : filled
        return isEnough
    }

    /// Takes one, if there is one.
    /// - Parameters:
    ///   - rate: How many come a second.
    ///   - burst: The seconds' worth that may be taken at once.
    package mutating func take(rate: Double, burst: Double, at time: Timestamp) -> Bool {
        let full = max(1, rate * burst)
        let passed = last.map { max(0, time.seconds - $0.seconds) } ?? 0
        let filled = min(full, (allowance ?? full) + passed * rate)
        last = time
        allowance = filled < 1 ? filled : filled - 1
        return filled >= 1
    }
}

/// A device's rate of messages: what exceeds it is refused, and told once a minute while it lasts.
package struct RateGuard: Sendable, Hashable {
    /// Excess that lasts so long is told, and again after as long.
    private static let sustained = 60.0
    /// Seconds' worth of messages that may come at once.
    private static let burst = 10.0
    /// The same of what waited while it could not be taken: nobody knows when it was sent.
    private static let backlog = 600.0
    /// Without excess for so long, it is over.
    private static let calm = 5.0

    private var bucket = TokenBucket()
    private var excessSince: Timestamp?
    private var lastExcess: Timestamp?
    private var toldAt: Timestamp?

    package init() {}

    /// Takes one message: whether it is within the rate, and whether an excess that lasts is to be told now.
    /// - Parameter isBacklog: It may have been sent long before it came.
    package mutating func take(rate: Double, at time: Timestamp, isBacklog: Bool = false) -> (isAllowed: Bool, isSustained: Bool) {
        guard !bucket.take(rate: rate, burst: isBacklog ? Self.backlog : Self.burst, at: time) else { return (true, false) }
        if let last = lastExcess, time.seconds - last.seconds > Self.calm { (excessSince, toldAt) = (nil, nil) }
        lastExcess = time
        // Where the clock was set back, what was noted ahead of it counts as noted now.
        let since = min(excessSince ?? time, time)
        (excessSince, toldAt) = (since, toldAt.map { min($0, time) })
        let tells = time.seconds - (toldAt ?? since).seconds >= Self.sustained
        if tells { toldAt = time }
        return (false, tells)
    }
}
