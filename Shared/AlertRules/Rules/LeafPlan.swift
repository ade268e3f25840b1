/// The part of a leaf that every reading needs: a flat value, so that looking at it copies a few words and counts no references.
struct LeafPlan: Sendable {
    /// A comparison with one limit; `other` stands for the rest, which are looked up in the leaf.
    enum Test: UInt8, Sendable { case above, atLeast, below, atMost, other }

    let test: Test
    /// The threshold's place and the number that it has for most.
    let slot: Int
    let standard: Double
    let slack: Double
    let staleAfter: Int64
    let metric: Int
    /// The silence that is waited for where the leaf is about readings that do not come.
    let silence: Comparison.Silence?
    /// The place of the quality metric and the least quality that counts; −1: any does.
    let quality: Int
    let minimumQuality: Double
    /// It remembers something of the readings before.
    let hasMemory: Bool
    let isEvent: Bool

    init(_ leaf: Leaf) {
        (test, slot, standard) =
            switch leaf.comparison {
            case .above(let threshold, let orEqual): (orEqual ? .atLeast : .above, threshold.slot, threshold.standard)
            case .below(let threshold, let orEqual): (orEqual ? .atMost : .below, threshold.slot, threshold.standard)
            default: (.other, 0, 0)
            }
        if case .silent(let silence) = leaf.comparison { self.silence = silence } else { silence = nil }
        (metric, isEvent) = (leaf.metric, leaf.isEvent)
        (slack, staleAfter, hasMemory) = (leaf.slack, leaf.staleAfter, leaf.memory != nil)
        (quality, minimumQuality) = leaf.quality.map { ($0.index, $0.minimum) } ?? (-1, 0)
    }

    /// Compares with a limit, as `Comparison` does; not for `other`.
    func isSatisfied(by value: Double, limit: Double, slack: Double) -> Bool {
        switch test {
        case .above: value > limit - slack
        case .atLeast: value >= limit - slack
        case .below: value < limit + slack
        case .atMost: value <= limit + slack
        case .other: false
        }
    }
}

/// The part of a level that every reading needs, as flat.
struct LevelPlan: Sendable {
    let severity: Severity
    let delay: Int64
    let keepFiring: Int64
    /// The time for which the condition must have ended before the level does: under a share, at least as long as it took to begin.
    let ending: Int64
    let share: Double
    let isRepeated: Bool
    /// The leaf that is its whole condition; −1 where that is made of several.
    let leaf: Int

    init(_ level: RuleLevel) {
        (severity, delay, keepFiring, share) = (level.severity, level.delay, level.keepFiring, level.share)
        ending = level.share < 1 ? max(level.keepFiring, level.delay) : level.keepFiring
        isRepeated = level.repetition != nil
        if case .leaf(let index) = level.condition { leaf = index } else { leaf = -1 }
    }
}

extension RuleSet {
    /// Makes the plans; to be called whenever leaves or levels were replaced.
    mutating func plan() {
        plans = leaves.map(LeafPlan.init)
        levelPlans = levels.map(LevelPlan.init)
        isScheduled = rules.map { $0.schedule != nil }
    }
}
