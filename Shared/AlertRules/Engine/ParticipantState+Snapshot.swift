extension ParticipantState {
    /// The alert as others see it.
    func snapshot(of rule: Int, _ rules: RuleSet, clock: Int64) -> AlertSnapshot {
        let alert = alerts[rule]
        let level = decisiveLevel(of: rule, rules)
        let leaf = decisiveLeaf(of: rule, rules)
        let phase: AlertSnapshot.Phase =
            switch alert.phase {
            case .none: .none
            case .pending: .pending
            case .active: .active
            }
        let severity = alert.phase == .pending ? level.map { rules.levels[$0].severity } ?? .none : alert.severity
        return AlertSnapshot(
            phase: phase, severity: severity, priority: level.map { rules.levels[$0].priority } ?? AlertPriority(alert.severity),
            isAcknowledged: alert.isActive && alert.isAcknowledged, isRecovered: alert.flags.contains(.recovered),
            isInhibited: alert.flags.contains(.inhibited), isDataLost: alert.flags.contains(.dataLost),
            isSilenced: alert.isSilenced, since: alert.since, silencedUntil: alert.silencedUntil > 0 ? alert.silencedUntil : nil,
            clearedUntil: alert.rearm == .none ? nil : notes[rule].flatMap { $0.clearedUntil > 0 ? $0.clearedUntil : nil },
            metric: leaf.map { rules.leaves[$0].metric }, value: leaf.flatMap { value(of: $0, rules) },
            threshold: leaf.flatMap { threshold(of: $0, rules) })
    }

    /// The worst level that fires, else the worst that is pending, else the one of the alert's severity.
    private func decisiveLevel(of rule: Int, _ rules: RuleSet) -> Int? {
        let range = rules.rules[rule].levelRange
        return range.last { levels[$0].isFiring } ?? range.last { levels[$0].phase == .pending }
            ?? range.first { rules.levels[$0].severity == alerts[rule].severity } ?? range.first
    }

    /// The first leaf of the decisive level that is satisfied, else the first.
    func decisiveLeaf(of rule: Int, _ rules: RuleSet) -> Int? {
        guard let level = decisiveLevel(of: rule, rules) else { return nil }
        if case .leaf(let leaf) = rules.levels[level].condition { return leaf }
        let indices = rules.levels[level].condition.leaves
        return indices.first { leaves[$0].isSeen && leaves[$0].isSatisfied } ?? indices.first
    }

    func value(of leaf: Int, _ rules: RuleSet) -> Double? {
        guard leaves[leaf].isSeen else { return nil }
        return switch rules.leaves[leaf].comparison {
        // A silence has no value, and a text's is only its place in the vocabulary.
        case .silent, .oneOf: nil
        default: leaves[leaf].value
        }
    }

    /// The threshold that the value lies beyond, or would be compared with.
    func threshold(of leaf: Int, _ rules: RuleSet) -> Double? {
        let thresholds = rules.leaves[leaf].comparison.thresholds
        guard thresholds.count == 2 else { return thresholds.first.map(limit) }
        let (low, high) = (limit(thresholds[0]), limit(thresholds[1]))
        return abs(leaves[leaf].value - low) < abs(leaves[leaf].value - high) ? low : high
    }
}
