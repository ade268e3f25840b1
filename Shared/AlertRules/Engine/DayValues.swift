/// A person's values by calendar day: what is compared over days, not over hours.
struct DayValues: Hashable, Sendable {
    /// Days at most.
    static let capacity = 60

    /// A day with readings.
    struct Day: Hashable, Sendable {
        let number: Int32
        var count: UInt32
        var mean: Double
        var last: Double
        var lastTime: Int64
    }

    private(set) var days: [Day] = []

    /// Takes a reading and forgets the days that no longer count.
    mutating func add(_ value: Double, at time: Int64, _ plan: DayPlan) {
        let number = Self.number(time, plan)
        if let index = days.firstIndex(where: { $0.number == number }) {
            days[index].add(value, at: time)
        } else {
            let index = days.firstIndex { $0.number > number } ?? days.count
            days.insert(Day(number: number, count: 1, mean: value, last: value, lastTime: time), at: index)
        }
        let today = days[days.count - 1].number
        days.removeAll { Int(today) - Int($0.number) > plan.days }
    }

    mutating func restore(_ days: [Day]) { self.days = days }

    /// The day's newest value beside those of the days before; nil where too few of them have readings.
    func measure(_ measure: WindowMeasure, _ plan: DayPlan) -> Double? {
        guard let today = days.last, days.count - 1 >= plan.minimum else { return nil }
        let before = days.dropLast()
        let all = days.map(\.last)
        switch measure {
        case .change: return today.last - before[before.startIndex].last
        case .rise: return today.last - before.reduce(.infinity) { min($0, $1.last) }
        case .fall: return before.reduce(-.infinity) { max($0, $1.last) } - today.last
        case .mean: return all.reduce(0, +) / Double(all.count)
        case .minimum: return all.min()
        case .maximum: return all.max()
        case .slope, .trend: return nil
        case .deviation: return deviation
        }
    }

    /// By how many standard deviations the newest value lies above the mean of the days before today.
    private var deviation: Double? {
        guard let today = days.last else { return nil }
        let means = days.dropLast().map(\.mean)
        let mean = means.reduce(0, +) / Double(means.count)
        let variance = means.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(max(1, means.count - 1))
        // Days that are all alike still differ by what cannot be seen: a hundredth of their mean.
        return (today.last - mean) / max(variance.squareRoot(), abs(mean) / 100, .leastNormalMagnitude)
    }

    private static func number(_ time: Int64, _ plan: DayPlan) -> Int32 {
        Int32(clamping: Int(((Double(time) / 1e6 + Double(plan.offset)) / 86_400).rounded(.down)))
    }
}

extension DayValues.Day {
    fileprivate mutating func add(_ value: Double, at time: Int64) {
        if time == lastTime {
            // A correction.
            mean += (value - last) / Double(count)
            last = value
            return
        }
        count = min(count, .max - 1) + 1
        mean += (value - mean) / Double(count)
        if time > lastTime { (lastTime, last) = (time, value) }
    }
}

/// The memory of a comparison that waits for an event.
struct AnchorState: Hashable, Sendable {
    /// The time of the event, and the value before it; NaN before the first event.
    var time: Int64 = LeafState.never
    var baseline: Double = .nan
    /// The newest value, of which the next event makes its baseline.
    var newest: Double = .nan
    var newestTime: Int64 = 0

    var isKnown: Bool { time != LeafState.never || newestTime != 0 }
}

/// The newest value of an expression's input.
struct InputState: Hashable, Sendable {
    var value: Double = .nan
    var time: Int64 = 0
}
