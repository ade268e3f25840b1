import VigilSchema

/// The farthest limit of a level that somebody may set who may not decide freely: each step further means fewer alerts.
package struct ThresholdEasing: Hashable, Sendable {
    /// In the metric's unit.
    package let farthest: Double
    /// True where a higher limit means fewer alerts.
    package let isUpward: Bool

    /// The reason why a limit lies too far; nil where it does not.
    package func problem(with value: Double) -> String? {
        guard isUpward ? value > farthest : value < farthest else { return nil }
        let words = isUpward ? "above" : "below"
        return "your role may set no threshold \(words) \(AlertTexts.number(farthest)) here; an operator may"
    }
}

extension RuleSet {
    /// How far the threshold of a rule's level may be eased.
    /// - Parameter share: Of the way from the rule's own limit to the end of what is believable; where nothing says what is believable of a quantity,
    ///   to twice its own limit.
    /// - Returns: nil where no single level is meant, or it has no threshold; the engine refuses those by itself.
    package func easing(of rule: Int, _ severity: Severity?, atMost share: Double) -> ThresholdEasing? {
        let indices = rules[rule].levelRange.filter { severity == nil || levels[$0].severity == severity }
        guard indices.count == 1, case .leaf(let index) = levels[indices[0]].condition else { return nil }
        let leaf = leaves[index]
        let plausible = MetricCatalogue.standard.definition(named: metrics[leaf.metric])?.plausible
        let believable = leaf.quantity.isOfTheMetricsRange ? plausible : nil
        switch leaf.comparison {
        case .above(let threshold, _):
            let own = threshold.own.upperBound, end = believable?.upperBound ?? own + abs(own)
            return ThresholdEasing(farthest: own + share * (end - own), isUpward: true)
        case .below(let threshold, _):
            let own = threshold.own.lowerBound, end = believable?.lowerBound ?? own - abs(own)
            return ThresholdEasing(farthest: own - share * (own - end), isUpward: false)
        case .outside, .inside, .oneOf, .silent: return nil
        }
    }
}

extension Threshold {
    /// From the lowest to the highest limit that the rule itself knows, for whomever: a history without bounds knows none.
    fileprivate var own: ClosedRange<Double> {
        let bounds = percentile.map { [$0.bounds.lowerBound, $0.bounds.upperBound] } ?? []
        let limits = all + bounds.filter { $0.magnitude < .greatestFiniteMagnitude }
        return (limits.min() ?? standard)...(limits.max() ?? standard)
    }
}
