/// Tells a clock that was set back from readings that come late or once more: what it dates goes on evenly with the time of receipt.
///
/// A value without I/O, made with the first reading that is older than what was heard. Buffered readings that are sent in a burst run ahead of their
/// receipt, repeated ones fall behind it.
struct ClockRollback: Hashable, Sendable, Codable {
    /// The time of receipt for which it must go on, in seconds.
    private static let needed = 10.0
    /// What is received within so many seconds came at once, however long a time it is about.
    private static let bunch = 2.0
    /// The difference between what passed by its clock and between the receipts, in seconds.
    private static let tolerance = 5.0

    /// The device whose clock it is.
    let source: String
    /// The receipt of the first bunch, and the newest time in it.
    private var received: Double, end: Double
    /// The last receipt.
    private(set) var latest: Double

    init(source: String, end: Double, received: Double) {
        (self.source, self.end, self.received, latest) = (source, end, received, received)
    }

    /// Takes the next reading.
    /// - Returns: true where the clock has gone on evenly for long enough.
    mutating func goesOn(until end: Double, received: Double) -> Bool {
        let (passed, ahead) = (received - self.received, end - self.end - (received - self.received))
        latest = max(latest, received)
        if (0..<Self.bunch).contains(passed) {
            self.end = max(self.end, end)
        } else if passed < 0 || ahead > Self.tolerance {
            self = ClockRollback(source: source, end: end, received: received)
        }
        return passed >= Self.needed && abs(ahead) <= Self.tolerance
    }
}
