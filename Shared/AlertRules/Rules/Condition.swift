/// Leaves and other alerts joined by all, any, not and a number that must hold. Places are those in the rule set's tables.
package indirect enum Condition: Hashable, Sendable {
    case leaf(Int)
    /// Another rule's active alert of the same person, by its place among the rule set's references.
    case alert(Int)
    case all([Condition])
    case any([Condition])
    case atLeast(Int, [Condition])
    case not(Condition)

    /// Works out its truth where each part's is known (Kleene's three-valued logic: what is unknown decides nothing).
    /// - Parameters:
    ///   - isStrict: without the dead bands. Below a `not` the dead bands count either way: they delay its end as they delay the part's.
    ///   - leaf: a leaf's truth, strict or within its dead band.
    func truth(isStrict: Bool, leaf: (Int, Bool) -> Truth, alert: (Int) -> Truth) -> Truth {
        switch self {
        case .leaf(let index): return leaf(index, isStrict)
        case .alert(let index): return alert(index)
        case .all(let parts): return parts.reduce(.yes) { min($0, $1.truth(isStrict: isStrict, leaf: leaf, alert: alert)) }
        case .any(let parts): return parts.reduce(.no) { max($0, $1.truth(isStrict: isStrict, leaf: leaf, alert: alert)) }
        case .atLeast(let count, let parts):
            let truths = parts.map { $0.truth(isStrict: isStrict, leaf: leaf, alert: alert) }
            if truths.count(where: { $0 == .yes }) >= count { return .yes }
            return truths.count(where: { $0 != .no }) >= count ? .unknown : .no
        case .not(let part): return part.truth(isStrict: false, leaf: leaf, alert: alert).negated
        }
    }

    /// Works out its truth with the time from which on its parts' newest readings make it so: all of them from the last of their times on, any of them
    /// from the first that decides.
    func beginning(isStrict: Bool, leaf: (Int, Bool) -> (Truth, Int64), alert: (Int) -> Truth) -> (truth: Truth, time: Int64) {
        func joint(_ count: Int, _ parts: [Condition]) -> (truth: Truth, time: Int64) {
            let known = parts.map { $0.beginning(isStrict: isStrict, leaf: leaf, alert: alert) }
            func times(_ truth: Truth) -> [Int64] { known.filter { $0.truth == truth }.map(\.time).sorted() }
            let (yes, no) = (times(.yes), times(.no))
            if yes.count >= count { return (.yes, yes[count - 1]) }
            return no.count > parts.count - count ? (.no, no[parts.count - count]) : (.unknown, .min)
        }
        switch self {
        case .leaf(let index): return leaf(index, isStrict)
        case .alert(let index): return (alert(index), .min)
        case .all(let parts): return joint(parts.count, parts)
        case .any(let parts): return joint(1, parts)
        case .atLeast(let count, let parts): return joint(count, parts)
        case .not(let part):
            let (truth, time) = part.beginning(isStrict: false, leaf: leaf, alert: alert)
            return (truth.negated, time)
        }
    }

    /// The leaves that it names, in order.
    package var leaves: [Int] {
        switch self {
        case .leaf(let index): [index]
        case .alert: []
        case .all(let parts), .any(let parts), .atLeast(_, let parts): parts.flatMap(\.leaves)
        case .not(let part): part.leaves
        }
    }

    /// The references to other alerts that it names.
    package var references: [Int] {
        switch self {
        case .leaf: []
        case .alert(let index): [index]
        case .all(let parts), .any(let parts), .atLeast(_, let parts): parts.flatMap(\.references)
        case .not(let part): part.references
        }
    }
}

/// The facts known of a condition.
package enum Truth: UInt8, Comparable, Sendable {
    case no, unknown, yes

    package var negated: Truth {
        switch self {
        case .no: .yes
        case .unknown: .unknown
        case .yes: .no
        }
    }

    package static func < (left: Truth, right: Truth) -> Bool { left.rawValue < right.rawValue }
}

/// One comparison of one quantity: what conditions are made of.
package struct Leaf: Hashable, Sendable {
    /// Its place among the rule set's metrics.
    package let metric: Int
    package let quantity: Quantity
    package let comparison: Comparison
    /// The distance that a value must come back over the threshold to end the alert (hysteresis).
    package let slack: Double
    /// After this long without a reading nothing is known, in microseconds.
    package let staleAfter: Int64
    /// A reading counts only while this quality's newest value is at least this.
    package let quality: Quality?
    /// The place of what it remembers in the rule set's table for its quantity, where it remembers anything.
    package let memory: Int?
    /// Its readings are events: each is over `staleAfter` later, rather than unknown.
    package var isEvent = false

    /// A Boolean value that indicates whether it is about readings that do not come.
    package var isSilent: Bool { if case .silent = comparison { true } else { false } }

    /// A requirement on signal quality.
    package struct Quality: Hashable, Sendable {
        /// The place of the quality metric among the rule set's quality metrics.
        package let index: Int
        package let minimum: Double
    }
}

/// The quantity of a metric that a condition compares.
package enum Quantity: Hashable, Sendable {
    /// The newest reading.
    case value
    /// Something over the last while, in microseconds.
    case window(WindowMeasure, over: Int64)
    /// The value of the straight line through a window, some time after the newest reading.
    case predicted(ahead: Int64, over: Int64)
    /// The day's newest value beside those of so many calendar days before it.
    case days(WindowMeasure, DayPlan)
    /// By how many standard deviations the value lies above the mean of the person's own days.
    case deviation(DayPlan)
    /// By how much the value changed since the event of another leaf, for so long after it.
    case anchored(WindowMeasure, leaf: Int, within: Int64)
    /// The value of an expression over several metrics, by its place among the rule set's expressions.
    case computed(Int)
}

/// The statistic of the readings in a window of time.
package enum WindowMeasure: String, Sendable, CaseIterable {
    /// Newest minus oldest.
    case change
    /// Newest minus the smallest.
    case rise
    /// The largest minus newest.
    case fall
    case mean, minimum, maximum
    /// The slope of the straight line through them, per minute.
    case slope
    /// The slope where it is significant, otherwise 0.
    case trend
    /// By how many standard deviations the newest lies above the mean of the person's own days.
    case deviation
}

/// The calendar days that count.
package struct DayPlan: Hashable, Sendable {
    /// The number of days before today.
    package let days: Int
    /// The number of them that must have readings.
    package let minimum: Int
    /// Seconds that the days' zone is ahead of UTC.
    package let offset: Int
}

/// A test of a number, with a dead band so that it does not flicker.
package enum Comparison: Hashable, Sendable {
    case above(Threshold, orEqual: Bool)
    case below(Threshold, orEqual: Bool)
    case outside(Threshold, Threshold)
    case inside(Threshold, Threshold)
    /// One of these texts, as places in the rule set's vocabulary; empty: any text.
    case oneOf([Int])
    /// No reading for as long.
    case silent(Silence)

    /// The lack of readings that counts as a silence.
    package struct Silence: Hashable, Sendable {
        /// In microseconds; or three of the series' usual intervals, where those are longer.
        package let after: Int64
        /// The series must have run for so long before, without a gap as long as that; 0: any silence counts.
        package let continuous: Int64
        /// The sensor is expected: it is silent from the beginning where no first reading comes.
        package let isExpected: Bool
        /// Each source of the metric is listened for: one that falls silent is not hidden by another that goes on.
        package var isBySource = false
    }

    /// Compares.
    /// - Parameters:
    ///   - slack: how far the value must come back to end it; 0: strictly.
    ///   - limit: the participant's number for a threshold.
    func isSatisfied(by value: Double, slack: Double, limit: (Threshold) -> Double) -> Bool {
        switch self {
        case .above(let threshold, let orEqual):
            let bound = limit(threshold) - slack
            return value > bound || (value == bound && orEqual)
        case .below(let threshold, let orEqual):
            let bound = limit(threshold) + slack
            return value < bound || (value == bound && orEqual)
        case .outside(let low, let high): return value < limit(low) + slack || value > limit(high) - slack
        case .inside(let low, let high): return value >= limit(low) - slack && value <= limit(high) + slack
        case .oneOf(let texts): return texts.isEmpty || texts.contains { Double($0) == value }
        case .silent: return false
        }
    }

    /// The amount by which a value is worse than another, in its unit; nil where no value is worse than another.
    func worsening(from old: Double, to new: Double, limit: (Threshold) -> Double) -> Double? {
        switch self {
        case .above: new - old
        case .below: old - new
        case .outside(let low, let high):
            max(limit(low) - new, new - limit(high)) - max(limit(low) - old, old - limit(high))
        case .inside, .oneOf, .silent: nil
        }
    }

    /// Its thresholds.
    package var thresholds: [Threshold] {
        switch self {
        case .above(let threshold, _), .below(let threshold, _): [threshold]
        case .outside(let low, let high), .inside(let low, let high): [low, high]
        case .oneOf, .silent: []
        }
    }
}

/// A limit that can differ from person to person.
package struct Threshold: Hashable, Sendable {
    /// Its place among the rule set's thresholds.
    package let slot: Int
    /// The limit where nothing else is known.
    package let standard: Double
    /// The limits of the age groups that differ.
    package var byAge: [AgeGroup: Double] = [:]
    /// Limits below an age in years, the youngest first.
    package var underAge: [UnderAge] = []
    /// The limit of those with NEWS2's oxygen-saturation scale 2.
    package var scale2: Double?
    /// The person's own history decides, once there is enough of it.
    package var percentile: Percentile?

    /// A limit for those who are younger.
    package struct UnderAge: Hashable, Sendable {
        package let years: Double
        package let limit: Double
    }

    /// Returns the limit for somebody of an age, or of unknown age.
    package func limit(age: Double?, usesScale2: Bool) -> Double {
        if usesScale2, let scale2 { return scale2 }
        guard let age else { return standard }
        return underAge.first { age < $0.years }?.limit ?? byAge[AgeGroup(years: age)] ?? standard
    }

    /// All limits that it can be without a person's history or command, the standard first.
    package var all: [Double] { [standard] + byAge.values + underAge.map(\.limit) + (scale2.map { [$0] } ?? []) }

    /// A threshold out of a person's own history.
    package struct Percentile: Hashable, Sendable {
        /// 0–100.
        package let rank: Double
        /// Half of what is older than this counts, in microseconds.
        package let halfLife: Int64
        /// Readings before the history is believed.
        package let minimumReadings: Int
        /// The result never lies below or above these.
        package let bounds: ClosedRange<Double>
        /// Its place among the rule set's histories.
        package let history: Int
    }
}
