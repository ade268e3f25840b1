extension ParticipantState {
    /// Takes a reading: every leaf that compares its metric, then every rule of those leaves.
    mutating func take(_ reading: Reading, _ rules: RuleSet, _ step: inout EngineStep) {
        if !qualities.isEmpty { qualities[reading.metric] = reading.value }
        remember(reading, rules)
        // A clock that is ahead must not run timers out: the time of receiving counts then.
        let time = min(reading.time, reading.received)
        var open = -1
        for leaf in rules.readers[reading.metric] {
            let rule = rules.ruleOfLeaf[leaf]
            guard accept(reading, at: time, leaf: leaf, rule: rule, rules, &step) else { continue }
            if open >= 0, open != rule { evaluate(open, rules, time: time, &step) }
            open = rule
        }
        if open >= 0 { evaluate(open, rules, time: time, &step) }
    }

    private mutating func remember(_ reading: Reading, _ rules: RuleSet) {
        for place in rules.historians[reading.metric] {
            histories[place].add(reading.value, at: reading.time, plan: rules.histories[place])
            // Percentiles move slowly: every 32nd reading is often enough.
            if Int(histories[place].total) % 32 == 0 { refreshPercentiles(rules, history: place) }
        }
    }

    /// Whether the reading counts for the leaf, and the leaf's new state.
    private mutating func accept(
        _ reading: Reading, at time: Int64, leaf place: Int, rule: Int, _ rules: RuleSet, _ step: inout EngineStep
    ) -> Bool {
        guard !alerts[rule].flags.contains(.excluded) else { return false }
        guard reading.received - time <= rules.rules[rule].maximumAge else {
            step.ignored += 1
            return false
        }
        let leaf = rules.leaves[place]
        if let quality = leaf.quality, qualities[quality.metric] < quality.minimum { return false }
        if leaves[place].isSeen {
            if time < leaves[place].time {
                guard step.clock - leaves[place].arrival > rules.rules[rule].lateness else {
                    return late(reading, at: time, leaf: place, rule: rule, rules, &step)
                }
                // Nothing newer came for a while: the clock was set back, and counting begins anew.
                restart(rule, leaf: place, rules)
            } else if time - leaves[place].time > leaf.staleAfter {
                // What was in between is unknown: a delay cannot count over it.
                for level in rules.rules[rule].levelRange where levels[level].phase == .pending { levels[level].phase = .idle }
                if let window = leaf.window { windows[window].reset() }
            }
        }
        store(reading.value, at: time, leaf: place, rules, &step)
        return true
    }

    private mutating func store(_ value: Double, at time: Int64, leaf place: Int, _ rules: RuleSet, _ step: inout EngineStep) {
        let leaf = rules.leaves[place]
        var compared = value
        if case .window(let measure, let over) = leaf.quantity, let window = leaf.window {
            windows[window].add(value, at: time, over: over)
            compared = windows[window].measure(measure) ?? value
        }
        let slack = leaves[place].isSatisfied ? leaf.slack : 0
        leaves[place].time = time
        leaves[place].arrival = step.clock
        leaves[place].unseen = 0
        leaves[place].value = compared
        leaves[place].isSatisfied = leaf.comparison.isSatisfied(by: compared, slack: slack, limit: limit)
    }

    /// A reading older than the newest: it goes into windows and can interrupt a delay, but decides nothing else.
    private mutating func late(
        _ reading: Reading, at time: Int64, leaf place: Int, rule: Int, _ rules: RuleSet, _ step: inout EngineStep
    ) -> Bool {
        guard leaves[place].time - time <= rules.rules[rule].lateness else {
            step.ignored += 1
            return false
        }
        let leaf = rules.leaves[place]
        if case .window(let measure, let over) = leaf.quantity, let window = leaf.window {
            windows[window].add(reading.value, at: time, over: over)
            let value = windows[window].measure(measure) ?? leaves[place].value
            let slack = leaves[place].isSatisfied ? leaf.slack : 0
            leaves[place].value = value
            leaves[place].isSatisfied = leaf.comparison.isSatisfied(by: value, slack: slack, limit: limit)
            return true
        }
        guard !leaf.comparison.isSatisfied(by: reading.value, slack: leaf.slack, limit: limit) else { return false }
        for (offset, level) in rules.rules[rule].levels.enumerated() where level.condition == .leaf(place) {
            levels[rules.rules[rule].levelRange.lowerBound + offset].interrupt(at: time)
        }
        return false
    }

    private mutating func restart(_ rule: Int, leaf place: Int, _ rules: RuleSet) {
        for level in rules.rules[rule].levelRange where levels[level].phase == .pending { levels[level].phase = .idle }
        if let window = rules.leaves[place].window { windows[window].reset() }
    }
}
