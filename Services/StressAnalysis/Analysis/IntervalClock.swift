/// The order of the intervals between beats that a device measured: a chest strap says once a second which ended since, all at one time. The time
/// that passed says whether one is missing.
///
/// A value without I/O.
struct IntervalClock: Sendable, Codable {
    /// What is known of an interval's place.
    struct Place: Hashable {
        /// A Boolean value that indicates whether it may not follow the one before.
        var isAfterGap: Bool
        /// So many before it came at the same time; they ended as much earlier as it lasted.
        var earlier: Int
    }

    private var stamp = -Double.infinity
    private var sequence: Int32 = 0
    /// The intervals of that time.
    private var count = 0
    /// A Boolean value that indicates whether several came at one time.
    private var isBatched = false
    /// By how much more time passed than the intervals lasted, what is long past counting less; and how much is usual, in seconds.
    private var excess = 0.0
    private var scatter = 0.25

    /// Takes an interval, in seconds; nil for what came already.
    mutating func locate(_ interval: Double, stamp: Double, sequence: Int32) -> Place? {
        let isSame = stamp == self.stamp && sequence > self.sequence
        guard stamp > self.stamp || isSame else { return nil }
        let passed = stamp - self.stamp
        (self.stamp, self.sequence, count) = (stamp, sequence, isSame ? count + 1 : 1)
        if isSame {
            isBatched = true
            excess -= interval
            return Place(isAfterGap: false, earlier: count - 1)
        }
        let isAfterGap = breaks(interval, passed: passed)
        if isAfterGap { excess = 0 }
        return Place(isAfterGap: isAfterGap, earlier: 0)
    }

    private mutating func breaks(_ interval: Double, passed: Double) -> Bool {
        guard passed - interval <= (isBatched ? 3 : 1.5) else { return true }
        let before = excess
        excess = 0.8 * excess + passed - interval
        // Of several that come together the first says nothing yet; of those before all are known now.
        let deviation = abs(isBatched ? before : excess)
        let limit = min(max(4 * scatter, 0.3), 1.5)
        scatter += (min(deviation, 1.5) - scatter) / 16
        return deviation >= limit
    }
}
