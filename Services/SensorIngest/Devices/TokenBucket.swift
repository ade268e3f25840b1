package import VigilSchema

/// A device's allowance of messages: it fills at a rate, up to ten seconds' worth, and each message takes one.
package struct TokenBucket: Sendable, Hashable {
    /// Excess that lasts so long is told, and again after as long.
    private static let sustained: Double = 60
    private static let burst: Double = 10

    private var allowance: Double?
    private var last: Timestamp?
    private var excessSince: Timestamp?
    private var toldAt: Timestamp?

    package init() {}

    /// Takes one message.
    /// - Parameters:
    ///   - rate: messages a second.
    ///   - at: when it was received.
    /// - Returns: how many seconds of reading nothing would make up for the excess; and true, once a minute, while the excess lasts.
    package mutating func take(rate: Double, at time: Timestamp) -> (debt: Double, isSustained: Bool) {
        let full = rate * TokenBucket.burst
        let passed = last.map { max(0, time.seconds - $0.seconds) } ?? 0
        let filled = min(full, (allowance ?? full) + passed * rate)
        last = time
        allowance = filled - 1
        guard filled < 1 else {
            if filled > full / 2 { (excessSince, toldAt) = (nil, nil) }
            return (0, false)
        }
        let since = excessSince ?? time
        excessSince = since
        let tells = time.seconds - (toldAt ?? since).seconds >= TokenBucket.sustained
        if tells { toldAt = time }
        return ((1 - filled) / rate, tells)
    }
}
