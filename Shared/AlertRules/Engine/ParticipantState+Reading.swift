extension ParticipantState {
    /// Takes a reading: every leaf that compares its metric, then every rule of those leaves.
    /// - Parameters:
    ///   - reading: measured no later than it was received.
    ///   - held: of a score, what it would be were nothing of it too old: what it owes to missing values ends nothing.
    mutating func take(_ reading: Reading, _ rules: RuleSet, held: Double? = nil, isStandIn: Bool = false, _ step: inout EngineStep) {
        let quality = rules.qualityOf[reading.metric]
        if quality >= 0 { qualities[quality] = QualityState(value: reading.value, arrival: step.clock, source: reading.source) }
        remember(reading, rules)
        hear(reading, rules, step.clock)
        let isSetBack = noteLate(reading, rules, step.clock)
        var (open, moment): (Int?, Int64) = (nil, reading.time)
        for leaf in rules.readers[reading.metric] {
            let rule = rules.ruleOfLeaf[leaf]
            guard !alerts[rule].flags.contains(.excluded) else { continue }
            if let held, isHeld(leaf, rules, by: held, against: reading.value) { continue }
            guard let time = sourceStates.isEmpty ? reading.time : self.moment(of: reading, leaf: leaf, rules, step.clock) else { continue }
            guard accept(reading, at: time, leaf: leaf, rule: rule, isStandIn, isSetBack, rules, &step) else { continue }
            if open != rule {
                if let open { evaluate(open, rules, time: moment, &step) }
                (open, moment) = (rule, time)
            }
            // What an expression or a window says is of its newest reading, whichever of them came last.
            if rules.plans[leaf].hasMemory { moment = max(moment, leaves[leaf].time) }
        }
        if let open { evaluate(open, rules, time: moment, &step) }
        let rulesByMetric = rules.rulesByMetric[reading.metric]
        if !rulesByMetric.isEmpty, rulesByMetric.allSatisfy({ alerts[$0].flags.contains(.excluded) }) { uncovered.insert(reading.metric) }
    }

    private mutating func remember(_ reading: Reading, _ rules: RuleSet) {
        for index in rules.historiesByMetric[reading.metric] {
            // Of a series that comes so seldom that it fades as fast as it grows, no reading may be a 32nd: it is looked at when it is fullest.
            if histories[index].isFading(at: reading.time, rules.histories[index]) { refreshPercentiles(rules, history: index) }
            histories[index].add(reading.value, at: reading.time, plan: rules.histories[index])
            // Percentiles move slowly: every 32nd reading is often enough.
            if Int(histories[index].total) % 32 == 0 { refreshPercentiles(rules, history: index) }
        }
    }

    /// Tells whether a score no longer satisfies a comparison only because something that it was made of has become too old.
    private func isHeld(_ index: Int, _ rules: RuleSet, by held: Double, against value: Double) -> Bool {
        guard leaves[index].isSatisfied, rules.leaves[index].quantity == .value else { return false }
        let slack = rules.plans[index].slack
        return !isSatisfied(index, by: value, slack: slack, rules) && isSatisfied(index, by: held, slack: slack, rules)
    }

    /// Takes the reading into the leaf's state; tells whether it counts.
    private mutating func accept(
        _ reading: Reading, at time: Int64, leaf index: Int, rule: Int, _ isStandIn: Bool, _ isSetBack: Bool, _ rules: RuleSet,
        _ step: inout EngineStep
    ) -> Bool {
        guard reading.received - time <= rules.rules[rule].maximumAge else {
            tellLate(reading, at: time, leaf: index, rule: rule, rules, &step)
            step.ignored += 1
            return false
        }
        let plan = rules.plans[index]
        if plan.isEvent, events[index]?.contains(time) == true {
            step.ignored += 1
            return false
        }
        if !isStandIn, plan.quality >= 0, isPoor(plan, reading.source, step.clock) { return false }
        guard leaves[index].isSeen else { return store(reading, at: time, leaf: index, rule: rule, rules, &step) }
        if rules.leaves[index].isWindow, isOfAnother(reading, index), let window = rules.leaves[index].memory { windows[window].reset() }
        if time < leaves[index].time {
            if case .computed = rules.leaves[index].quantity { return store(reading, at: time, leaf: index, rule: rule, rules, &step) }
            // Late data are not the present: they count as new only where nothing newer is known any more, as after a clock was set back.
            guard isSetBack || step.clock - leaves[index].arrival > max(plan.staleAfter, rules.rules[rule].lateness) else {
                return late(reading, at: time, leaf: index, rule: rule, rules, &step)
            }
            restart(rule, leaf: index, rules)
        } else {
            noteGap(time - leaves[index].time, leaf: index, rule: rule, rules, step.clock)
        }
        return store(reading, at: time, leaf: index, rule: rule, rules, &step)
    }

    /// Tells whether a reading is another source's than those before: two sensors do not make one course.
    private func isOfAnother(_ reading: Reading, _ index: Int) -> Bool {
        reading.source != 0 && leaves[index].source != 0 && leaves[index].source != reading.source
    }

    /// Tells whether a number belongs to a reading before the newest that a rule over pairs has: it is late, and decides nothing.
    private func isOfFormerReading(_ time: Int64, _ rule: Int, _ rules: RuleSet) -> Bool {
        guard let pairing = rules.rules[rule].pairing else { return false }
        return rules.rules[rule].leafRange.contains { leaves[$0].isSeen && leaves[$0].time - time > pairing }
    }

    /// Tells whether a medical rule finds the signal of a reading too poor.
    func isPoor(_ reading: Reading, _ rules: RuleSet, _ clock: Int64) -> Bool {
        rules.readers[reading.metric].contains {
            rules.plans[$0].quality >= 0 && isMedical($0, rules) && isPoor(rules.plans[$0], reading.source, clock)
        }
    }

    /// Tells whether a reading is not too old for all medical rules that judge it.
    func isInTime(_ reading: Reading, _ rules: RuleSet) -> Bool {
        var isJudged = false
        for leaf in rules.readers[reading.metric] where isMedical(leaf, rules) {
            if reading.received - reading.time <= rules.rules[rules.ruleOfLeaf[leaf]].maximumAge { return true }
            isJudged = true
        }
        return !isJudged
    }

    private func isMedical(_ leaf: Int, _ rules: RuleSet) -> Bool {
        let rule = rules.ruleOfLeaf[leaf]
        return rules.rules[rule].kind == .medical && !alerts[rule].flags.contains(.excluded)
    }

    /// A quality that was measured too long ago says nothing of this reading, nor does that of another source's signal.
    private func isPoor(_ plan: LeafPlan, _ source: UInt32, _ clock: Int64) -> Bool {
        let state = qualities[plan.quality]
        guard source == 0 || state.source == 0 || source == state.source else { return false }
        return state.arrival != LeafState.never && clock - state.arrival <= plan.staleAfter && state.value < plan.minimumQuality
    }

    /// Notes a gap that is long, also by the series' habit: what was in between is unknown, and no delay counts over it.
    private mutating func noteGap(_ gap: Int64, leaf index: Int, rule: Int, _ rules: RuleSet, _ clock: Int64) {
        let plan = rules.plans[index]
        leaves[index].learn(gap: gap)
        if let silence = plan.silence {
            // Spot measurements are no run, however regularly they come.
            let longest = silence.continuous > 0 ? silence.continuous : .max
            if gap > min(max(silence.after, leaves[index].usualSilence), longest) { leaves[index].runClock = clock }
            return
        }
        guard gap > plan.staleAfter else { return }
        if plan.hasMemory, rules.leaves[index].isWindow, let window = rules.leaves[index].memory { windows[window].reset() }
        guard gap > leaves[index].usualSilence else { return }
        for level in rules.rules[rule].levelRange where levels[level].phase == .pending { levels[level] = LevelState() }
    }

    /// Stores the reading in the leaf's state; tells whether it counts.
    private mutating func store(
        _ reading: Reading, at time: Int64, leaf index: Int, rule: Int, _ rules: RuleSet, _ step: inout EngineStep
    ) -> Bool {
        guard store(reading, at: time, leaf: index, rules, step.clock) else { return false }
        guard isOfFormerReading(time, rule, rules) else { return true }
        evaluate(rule, rules, time: nil, cause: .reading, &step)
        return false
    }

    private mutating func store(_ reading: Reading, at time: Int64, leaf index: Int, _ rules: RuleSet, _ clock: Int64) -> Bool {
        var time = time
        guard let compared = compared(reading, at: &time, leaf: index, rules) else { return false }
        if !leaves[index].isSeen { leaves[index].runClock = clock }
        leaves[index].time = time
        leaves[index].arrival = clock
        leaves[index].unseen = 0
        leaves[index].source = reading.source
        compare(compared, leaf: index, rules)
        if rules.plans[index].isEvent, leaves[index].isExceeded { events[index, default: EventTimes()].note(time) }
        if rules.anchoredAt[index] >= 0 { anchor(rules.anchoredAt[index], rules, isEvent: leaves[index].isExceeded, at: time) }
        return true
    }

    private mutating func restart(_ rule: Int, leaf index: Int, _ rules: RuleSet) {
        for level in rules.rules[rule].levelRange where levels[level].phase == .pending { levels[level] = LevelState() }
        if let window = rules.leaves[index].memory, rules.leaves[index].isWindow { windows[window].reset() }
    }
}
