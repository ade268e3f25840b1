/// Leaves joined by all, any and not. A leaf is named by its place among the rule set's leaves.
package indirect enum Condition: Hashable, Sendable {
    case leaf(Int)
    case all([Condition])
    case any([Condition])
    case not(Condition)

    /// Its truth where each leaf's is known (Kleene's three-valued logic: what is unknown decides nothing).
    func truth(_ leaf: (Int) -> Truth) -> Truth {
        switch self {
        case .leaf(let index): return leaf(index)
        case .all(let parts): return parts.reduce(.yes) { min($0, $1.truth(leaf)) }
        case .any(let parts): return parts.reduce(.no) { max($0, $1.truth(leaf)) }
        case .not(let part): return part.truth(leaf).negated
        }
    }

    /// The leaves that it names, in order.
    package var leaves: [Int] {
        switch self {
        case .leaf(let index): [index]
        case .all(let parts), .any(let parts): parts.flatMap(\.leaves)
        case .not(let part): part.leaves
        }
    }
}

/// What is known of a condition.
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

/// One comparison of one metric: what conditions are made of.
package struct Leaf: Hashable, Sendable {
    /// Its place among the rule set's metrics.
    package let metric: Int
    package let quantity: Quantity
    package let comparison: Comparison
    /// How far a value must come back over the threshold to end what it began (hysteresis).
    package let slack: Double
    /// After this long without a reading nothing is known, in microseconds.
    package let staleAfter: Int64
    /// A reading counts only while this metric's newest value is at least this.
    package let quality: Quality?
    /// The place of its window among the rule set's windows, where it has one.
    package let window: Int?

    /// Whether it is about readings that do not come.
    package var isSilent: Bool { if case .silent = comparison { true } else { false } }

    /// A requirement on signal quality.
    package struct Quality: Hashable, Sendable {
        /// The place of the quality metric among the rule set's metrics.
        package let metric: Int
        package let minimum: Double
    }
}

/// What of a metric a condition compares.
package enum Quantity: Hashable, Sendable {
    /// The newest reading.
    case value
    /// Something over the last while.
    case window(WindowMeasure, over: Int64)
}

/// What is taken of the readings in a window of time.
package enum WindowMeasure: String, Sendable, CaseIterable {
    /// Newest minus oldest.
    case change
    /// Newest minus the smallest.
    case rise
    /// The largest minus newest.
    case fall
    case mean, minimum, maximum
}

/// A test of a number, with a dead band so that it does not flicker.
package enum Comparison: Hashable, Sendable {
    case above(Threshold, orEqual: Bool)
    case below(Threshold, orEqual: Bool)
    case outside(Threshold, Threshold)
    case inside(Threshold, Threshold)
    /// One of these texts, as places in the rule set's vocabulary.
    case oneOf([Int])
    /// No reading for as long, in microseconds.
    case silent(after: Int64)

    /// Whether the value satisfies it.
    /// - Parameters:
    ///   - slack: how far the value must come back to end it, where it was satisfied before.
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
        case .oneOf(let texts): return texts.contains { Double($0) == value }
        case .silent: return false
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
    /// Where nothing else is known.
    package let standard: Double
    /// For the age groups that differ.
    package let byAge: [AgeGroup: Double]
    /// The person's own history decides, once there is enough of it.
    package let percentile: Percentile?

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
