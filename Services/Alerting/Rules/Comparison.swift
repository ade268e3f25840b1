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
