/// The variability of the intervals between beats over a window, in the time domain.
package struct HeartRateVariability: Hashable, Sendable {
    /// Beats a minute.
    package var heartRate: Double
    /// The standard deviation of the intervals, ms.
    package var sdnn: Double
    /// The root mean square of the changes from one interval to the next, ms.
    package var rmssd: Double
    /// The share of changes of more than 50 ms, %.
    package var pnn50: Double

    /// The measures of intervals in milliseconds; nil for fewer than three.
    package init?(_ intervals: [Double]) {
        guard intervals.count > 2 else { return nil }
        let count = Double(intervals.count)
        let mean = intervals.reduce(0, +) / count
        var (squares, changes, large) = (0.0, 0.0, 0)
        for index in intervals.indices {
            squares += (intervals[index] - mean) * (intervals[index] - mean)
            guard index > 0 else { continue }
            let change = intervals[index] - intervals[index - 1]
            changes += change * change
            if abs(change) > 50 { large += 1 }
        }
        heartRate = 60_000 / mean
        sdnn = (squares / (count - 1)).squareRoot()
        rmssd = (changes / (count - 1)).squareRoot()
        pnn50 = 100 * Double(large) / count
    }
}

/// The stress index of R. M. Baevsky: AMo / (2 · Mo · MxDMn). About 50–150 at rest; grows as the rhythm stiffens.
package enum BaevskyIndex {
    /// The index of intervals in milliseconds, with bins of 50 ms; nil for fewer than 30 or for a rhythm without spread.
    package static func of(_ intervals: [Double]) -> Double? {
        guard intervals.count >= 30, let least = intervals.min(), let most = intervals.max(), most > least else { return nil }
        var counts: [Int: Int] = [:]
        for interval in intervals { counts[Int(interval / 50), default: 0] += 1 }
        guard let mode = counts.max(by: { ($0.value, -$0.key) < ($1.value, -$1.key) }) else { return nil }
        let share = 100 * Double(mode.value) / Double(intervals.count)
        let centre = (Double(mode.key) + 0.5) * 0.05
        return share / (2 * centre * (most - least) / 1000)
    }
}
