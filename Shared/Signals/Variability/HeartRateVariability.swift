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
        self.init(intervals, changes: zip(intervals.dropFirst(), intervals).map { $0 - $1 })
    }

    /// The measures of corrected intervals: across a gap there is no change from one to the next. Nil for fewer than three intervals, or two changes.
    package init?(_ intervals: some Collection<RRInterval>) {
        let pairs = zip(intervals.dropFirst(), intervals).filter { $0.0.isAfterGap != true }
        self.init(intervals.map(\.milliseconds), changes: pairs.map { $0.milliseconds - $1.milliseconds })
    }

    private init?(_ intervals: [Double], changes: [Double]) {
        guard intervals.count > 2, changes.count > 1 else { return nil }
        let count = Double(intervals.count)
        let mean = intervals.reduce(0, +) / count
        let squares = intervals.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        heartRate = 60_000 / mean
        sdnn = (squares / (count - 1)).squareRoot()
        rmssd = (changes.reduce(0) { $0 + $1 * $1 } / Double(changes.count)).squareRoot()
        pnn50 = 100 * Double(changes.count { abs($0) > 50 }) / Double(changes.count + 1)
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
