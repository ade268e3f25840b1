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
