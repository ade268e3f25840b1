package import VigilSchema

/// Tells from a device's readings whether its clock runs off.
///
/// A reading arrives after it was measured, by an unknown delay that is never negative; the smallest of many is nearly none, so it is
/// the clock's offset. A device that sends old readings for a while looks the same as one whose clock is behind: what follows from a
/// verdict is the operator's choice.
package struct ClockSkewEstimator: Sendable, Hashable {
    /// Nothing is said of a smaller offset.
    package static let tolerance: Int64 = 60_000_000
    /// The number of messages that are considered before a verdict.
    private static let messages = 10
    private static let span: Int64 = 30_000_000

    /// The offset that was told last, in microseconds to be added to the device's times; nil while the clock is right.
    package private(set) var offset: Int64?
    private var smallest = Int64.max
    private var count = 0
    private var since: Timestamp?

    /// - Parameter offset: what was found before a restart.
    package init(offset: Int64? = nil) { self.offset = offset }

    /// Takes a message's newest time as the device gave it. True where a verdict changed: `offset` then has the new one.
    package mutating func observe(newest: Timestamp, received: Timestamp) -> Bool {
        let lag = received.microseconds - newest.microseconds
        // At first, and where the clock by which it is judged was set back.
        guard let since, since <= received else {
            (smallest, count, since) = (lag, 1, received)
            return false
        }
        smallest = min(smallest, lag)
        count += 1
        guard count >= ClockSkewEstimator.messages, received.microseconds - since.microseconds >= ClockSkewEstimator.span else {
            return false
        }
        defer { (smallest, count, self.since) = (.max, 0, received) }
        return judge()
    }

    private mutating func judge() -> Bool {
        let isOff = smallest.magnitude > ClockSkewEstimator.tolerance.magnitude
        switch (isOff, offset) {
        case (true, let known?) where (smallest - known).magnitude <= ClockSkewEstimator.tolerance.magnitude: return false
        case (true, _): offset = smallest
        case (false, nil): return false
        case (false, _): offset = nil
        }
        return true
    }
}
