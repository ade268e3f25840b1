/// What the intervals between beats say over a window, in the time domain.
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
