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
            guard let time = voices.isEmpty ? reading.time : self.moment(of: reading, leaf: leaf, rules, step.clock) else { continue }
            guard accept(reading, at: time, leaf: leaf, rule: rule, isStandIn, isSetBack, rules, &step) else { continue }
            if open != rule {
                if let open { evaluate(open, rules, time: moment, &step) }
                (open, moment) = (rule, time)
            }
            // What an expression or a window says is of its newest reading, whichever of them came last.
            if rules.plans[leaf].hasMemory { moment = max(moment, leaves[leaf].time) }
        }
        if let open { evaluate(open, rules, time: moment, &step) }
        let coverers = rules.coverers[reading.metric]
        if !coverers.isEmpty, coverers.allSatisfy({ alerts[$0].flags.contains(.excluded) }) { uncovered.insert(reading.metric) }
    }

    private mutating func remember(_ reading: Reading, _ rules: RuleSet) {
        for place in rules.historians[reading.metric] {
            // Of a series that comes so seldom that it fades as fast as it grows, no reading may be a 32nd: it is looked at when it is fullest.
            if histories[place].isFading(at: reading.time, rules.histories[place]) { refreshPercentiles(rules, history: place) }
            histories[place].add(reading.value, at: reading.time, plan: rules.histories[place])
            // Percentiles move slowly: every 32nd reading is often enough.
            if Int(histories[place].total) % 32 == 0 { refreshPercentiles(rules, history: place) }
        }
    }

    /// Tells whether a score no longer satisfies a comparison only because something that it was made of has become too old.
    private func isHeld(_ place: Int, _ rules: RuleSet, by held: Double, against value: Double) -> Bool {
        guard leaves[place].isSatisfied, rules.leaves[place].quantity == .value else { return false }
        let slack = rules.plans[place].slack
        return !isSatisfied(place, by: value, slack: slack, rules) && isSatisfied(place, by: held, slack: slack, rules)
    }

    /// Takes the reading into the leaf's state; tells whether it counts.
    private mutating func accept(
        _ reading: Reading, at time: Int64, leaf place: Int, rule: Int, _ isStandIn: Bool, _ isSetBack: Bool, _ rules: RuleSet,
        _ step: inout EngineStep
    ) -> Bool {
        guard reading.received - time <= rules.rules[rule].maximumAge else {
            step.ignored += 1
            return false
        }
        let plan = rules.plans[place]
        if !isStandIn, plan.quality >= 0, isPoor(plan, reading.source, step.clock) { return false }
        guard leaves[place].isSeen else { return store(reading, at: time, leaf: place, rule: rule, rules, &step) }
        if rules.leaves[place].isWindow, isOfAnother(reading, place), let window = rules.leaves[place].memory { windows[window].reset() }
        if time < leaves[place].time {
            if case .computed = rules.leaves[place].quantity { return store(reading, at: time, leaf: place, rule: rule, rules, &step) }
            // Late data are not the present: they count as new only where nothing newer is known any more, as after a clock was set back.
            guard isSetBack || step.clock - leaves[place].arrival > max(plan.staleAfter, rules.rules[rule].lateness) else {
                return late(reading, at: time, leaf: place, rule: rule, rules, &step)
            }
            restart(rule, leaf: place, rules)
        } else {
            noteGap(time - leaves[place].time, leaf: place, rule: rule, rules, step.clock)
        }
        return store(reading, at: time, leaf: place, rule: rule, rules, &step)
    }

    /// Tells whether a reading is another source's than those before: two sensors do not make one course.
    private func isOfAnother(_ reading: Reading, _ place: Int) -> Bool {
        reading.source != 0 && leaves[place].source != 0 && leaves[place].source != reading.source
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
    private mutating func noteGap(_ gap: Int64, leaf place: Int, rule: Int, _ rules: RuleSet, _ clock: Int64) {
        let plan = rules.plans[place]
        leaves[place].learn(gap: gap)
        if let silence = plan.silence {
            // Spot measurements are no run, however regularly they come.
            let longest = silence.continuous > 0 ? silence.continuous : .max
            if gap > min(max(silence.after, leaves[place].usualSilence), longest) { leaves[place].runClock = clock }
            return
        }
        guard gap > plan.staleAfter else { return }
        if plan.hasMemory, rules.leaves[place].isWindow, let window = rules.leaves[place].memory { windows[window].reset() }
        guard gap > leaves[place].usualSilence else { return }
        for level in rules.rules[rule].levelRange where levels[level].phase == .pending { levels[level] = LevelState() }
    }

    /// Stores the reading in the leaf's state; tells whether it counts.
    private mutating func store(
        _ reading: Reading, at time: Int64, leaf place: Int, rule: Int, _ rules: RuleSet, _ step: inout EngineStep
    ) -> Bool {
        guard store(reading, at: time, leaf: place, rules, step.clock) else { return false }
        guard isOfFormerReading(time, rule, rules) else { return true }
        evaluate(rule, rules, time: nil, cause: .reading, &step)
        return false
    }

    private mutating func store(_ reading: Reading, at time: Int64, leaf place: Int, _ rules: RuleSet, _ clock: Int64) -> Bool {
        var time = time
        guard let compared = compared(reading, at: &time, leaf: place, rules) else { return false }
        if !leaves[place].isSeen { leaves[place].runClock = clock }
        leaves[place].time = time
        leaves[place].arrival = clock
        leaves[place].unseen = 0
        leaves[place].source = reading.source
        compare(compared, leaf: place, rules)
        if rules.anchoredAt[place] >= 0 { anchor(rules.anchoredAt[place], rules, isEvent: leaves[place].isExceeded, at: time) }
        return true
    }

    private mutating func compare(_ value: Double, leaf place: Int, _ rules: RuleSet) {
        let slack = rules.plans[place].slack
        let isExceeded = isSatisfied(place, by: value, slack: 0, rules)
        leaves[place].isSatisfied =
            isExceeded || (leaves[place].isSatisfied && slack > 0 && isSatisfied(place, by: value, slack: slack, rules))
        leaves[place].isExceeded = isExceeded
        leaves[place].value = value
    }

    func isSatisfied(_ place: Int, by value: Double, slack: Double, _ rules: RuleSet) -> Bool {
        let plan = rules.plans[place]
        guard plan.test != .other else { return rules.leaves[place].comparison.isSatisfied(by: value, slack: slack, limit: limit) }
        return plan.isSatisfied(by: value, limit: limits.isEmpty ? plan.standard : limits[plan.slot], slack: slack)
    }

    /// Returns the leaf's quantity with the reading; nil where that is not known yet.
    private mutating func compared(_ reading: Reading, at time: inout Int64, leaf place: Int, _ rules: RuleSet) -> Double? {
        guard rules.plans[place].hasMemory, let memory = rules.leaves[place].memory else { return reading.value }
        switch rules.leaves[place].quantity {
        case .value: return reading.value
        case .window(let measure, let over):
            windows[memory].add(reading.value, at: time, over: over)
            return windows[memory].measure(measure)
        case .predicted(let ahead, let over):
            windows[memory].add(reading.value, at: time, over: over)
            return windows[memory].predicted(ahead: ahead)
        case .days(let measure, let plan):
            days[memory].add(reading.value, at: time, plan)
            return days[memory].measure(measure, plan)
        case .deviation(let plan):
            days[memory].add(reading.value, at: time, plan)
            return days[memory].measure(.deviation, plan)
        case .anchored(let measure, _, let within): return anchored(reading.value, at: time, memory, measure, within)
        case .computed(let expression): return computed(reading, at: &time, rules.expressions[expression])
        }
    }

    /// The change since the event; nil without an event, or when it is too long ago.
    private mutating func anchored(_ value: Double, at time: Int64, _ place: Int, _ measure: WindowMeasure, _ within: Int64) -> Double? {
        if time >= anchors[place].newestTime { (anchors[place].newest, anchors[place].newestTime) = (value, time) }
        let anchor = anchors[place]
        guard anchor.time != LeafState.never, !anchor.baseline.isNaN, time >= anchor.time, time - anchor.time <= within else { return 0 }
        return measure == .fall ? anchor.baseline - value : value - anchor.baseline
    }

    /// An event begins when its comparison is satisfied and was not before; the newest value then is what is compared with.
    private mutating func anchor(_ place: Int, _ rules: RuleSet, isEvent: Bool, at time: Int64) {
        guard let memory = rules.leaves[place].memory else { return }
        if !isEvent {
            anchors[memory].time = LeafState.never
        } else if anchors[memory].time == LeafState.never {
            anchors[memory].time = time
            anchors[memory].baseline = anchors[memory].newest
        }
    }

    /// The expression's value, where all of its inputs are there and of about one time.
    private mutating func computed(_ reading: Reading, at time: inout Int64, _ expression: Expression) -> Double? {
        guard let own = expression.metrics.firstIndex(of: reading.metric) else { return nil }
        guard inputs[expression.first + own].value.isNaN || time >= inputs[expression.first + own].time else { return nil }
        inputs[expression.first + own] = InputState(value: reading.value, time: time)
        let all = inputs[expression.first..<expression.first + expression.metrics.count]
        guard let oldest = all.map(\.time).min(), let newest = all.map(\.time).max(), newest - oldest <= expression.within else {
            return nil
        }
        guard !all.contains(where: \.value.isNaN) else { return nil }
        time = newest
        return expression.value { all[all.startIndex + $0].value }
    }

    /// A reading older than the newest: it goes into windows, can interrupt a delay, and is told where it would have raised at once.
    private mutating func late(
        _ reading: Reading, at time: Int64, leaf place: Int, rule: Int, _ rules: RuleSet, _ step: inout EngineStep
    ) -> Bool {
        let leaf = rules.leaves[place]
        if leaf.isDaily {
            // A day that is known already may be corrected, or told of later.
            var time = time
            guard let value = compared(reading, at: &time, leaf: place, rules) else { return false }
            compare(value, leaf: place, rules)
            return true
        }
        guard leaves[place].time - time <= rules.rules[rule].lateness, !leaf.isSilent else {
            step.ignored += 1
            return false
        }
        if leaf.isWindow {
            var time = time
            guard let value = compared(reading, at: &time, leaf: place, rules) else { return false }
            compare(value, leaf: place, rules)
            return true
        }
        guard leaf.quantity == .value else { return false }
        let isSatisfied = leaf.comparison.isSatisfied(by: reading.value, slack: 0, limit: limit)
        interrupt(rule, leaf: place, isSatisfied ? .yes : .no, at: time, rules)
        if isSatisfied { tell(reading, at: time, leaf: place, rule: rule, rules, &step) }
        return false
    }

    /// Interrupts the delays of conditions that did not hold at `time`, whatever their other parts were then.
    private mutating func interrupt(_ rule: Int, leaf place: Int, _ truth: Truth, at time: Int64, _ rules: RuleSet) {
        for level in rules.rules[rule].levelRange where levels[level].phase == .pending {
            let condition = rules.levels[level].condition
            let then = condition.truth(isStrict: true, leaf: { leaf, _ in leaf == place ? truth : .unknown }, alert: { _ in .unknown })
            if then == .no { levels[level].interrupt(at: time, rules.levelPlans[level]) }
        }
    }

    /// What would have raised at once raises also where it came behind newer readings, as from a node of the broker that was lost. The newest
    /// reading decides after that whether it goes on.
    private mutating func tell(_ reading: Reading, at time: Int64, leaf place: Int, rule: Int, _ rules: RuleSet, _ step: inout EngineStep) {
        let range = rules.rules[rule].levelRange
        // Where readings are counted, the newest must not count again.
        guard !rules.rules[rule].isMixed, !range.contains(where: { rules.levelPlans[$0].isRepeated || rules.levelPlans[$0].share < 1 }),
            range.contains(where: { rules.levelPlans[$0].leaf == place && levels[$0].isUntold(at: time, rules.levelPlans[$0]) })
        else { return }
        let newest = leaves[place].time
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

    private mutating func restart(_ rule: Int, leaf place: Int, _ rules: RuleSet) {
        for level in rules.rules[rule].levelRange where levels[level].phase == .pending { levels[level] = LevelState() }
        if let window = rules.leaves[place].memory, rules.leaves[place].isWindow { windows[window].reset() }
    }

    /// Compares again what is known with the limits as they are now.
    mutating func compareAgain(_ rules: RuleSet) {
        for (place, leaf) in rules.leaves.enumerated() where leaves[place].isSeen && !leaf.isSilent {
            compare(leaves[place].value, leaf: place, rules)
        }
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

    /// It remembers a window of time.
    var isWindow: Bool {
        switch quantity {
        case .window, .predicted: true
        default: false
        }
    }
}
