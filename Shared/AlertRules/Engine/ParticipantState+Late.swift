/// Readings older than the newest.
extension ParticipantState {
    /// A reading older than the newest: it goes into windows, can interrupt a delay, and is told where it would have raised at once.
    mutating func late(
        _ reading: Reading, at time: Int64, leaf index: Int, rule: Int, _ rules: RuleSet, _ step: inout EngineStep
    ) -> Bool {
        let leaf = rules.leaves[index]
        if leaf.isDaily {
            // A day that is known already may be corrected, or told of later.
            var time = time
            guard let value = compared(reading, at: &time, leaf: index, rules) else { return false }
            compare(value, leaf: index, rules)
            return true
        }
        guard leaves[index].time - time <= rules.rules[rule].lateness, !leaf.isSilent else {
            step.ignored += 1
            return false
        }
        if leaf.isWindow {
            var time = time
            guard let value = compared(reading, at: &time, leaf: index, rules) else { return false }
            compare(value, leaf: index, rules)
            return true
        }
        guard leaf.quantity == .value else { return false }
        let isSatisfied = leaf.comparison.isSatisfied(by: reading.value, slack: 0, limit: limit)
        interrupt(rule, leaf: index, isSatisfied ? .yes : .no, at: time, rules)
        if isSatisfied { tell(reading, at: time, leaf: index, rule: rule, rules, &step) }
        return false
    }

    /// Interrupts the delays of conditions that did not hold at `time`, whatever their other parts were then.
    private mutating func interrupt(_ rule: Int, leaf index: Int, _ truth: Truth, at time: Int64, _ rules: RuleSet) {
        for level in rules.rules[rule].levelRange where levels[level].phase == .pending {
            let condition = rules.levels[level].condition
            let then = condition.truth(isStrict: true, leaf: { leaf, _ in leaf == index ? truth : .unknown }, alert: { _ in .unknown })
            if then == .no { levels[level].interrupt(at: time, rules.levelPlans[level]) }
        }
    }

    /// What would have raised at once raises also where it came behind newer readings, as from a node of the broker that was lost. The newest
    /// reading decides after that whether it goes on.
    private mutating func tell(_ reading: Reading, at time: Int64, leaf index: Int, rule: Int, _ rules: RuleSet, _ step: inout EngineStep) {
        let range = rules.rules[rule].levelRange
        // Where readings are counted, the newest must not count again.
        guard !rules.rules[rule].isMixed, !range.contains(where: { rules.levelPlans[$0].isRepeated || rules.levelPlans[$0].share < 1 }),
            range.contains(where: { rules.levelPlans[$0].leaf == index && levels[$0].isUntold(at: time, rules.levelPlans[$0]) })
        else { return }
        let newest = leaves[index].time
        let compared = rules.rules[rule].leafRange.filter {
            !rules.leaves[$0].isSilent && rules.leaves[$0].quantity == .value && leaves[$0].isSeen
        }
        let present = compared.map { leaves[$0] }
        for leaf in compared {
            leaves[leaf].time = time
            compare(reading.value, leaf: leaf, rules)
        }
        evaluate(rule, rules, time: time, &step)
        for (leaf, state) in zip(compared, present) { leaves[leaf] = state }
        evaluate(rule, rules, time: newest, &step)
    }
}

extension Leaf {
    /// It compares calendar days.
    fileprivate var isDaily: Bool {
        switch quantity {
        case .days, .deviation: true
        default: false
        }
    }
}
