extension AlertEngine {
    /// Ends the alerts of rules that the new set no longer has, and the delays of those that it has changed. To be called, and its events to be
    /// written, before `adopt`.
    package mutating func retire(for next: RuleSet, now: Int64, into output: inout EngineOutput) {
        let kept = Dictionary(next.rules.map { ($0.id, $0.fingerprint) }, uniquingKeysWith: { first, _ in first })
        let changed = rules.rules.indices.filter { kept[rules.rules[$0].id] != rules.rules[$0].fingerprint }
        guard !changed.isEmpty else { return }
        for index in participants.indices where !names[index].isEmpty {
            thaw(index)
            for rule in changed {
                let (alert, isGone) = (participants[index].alerts[rule], kept[rules.rules[rule].id] == nil)
                guard isGone ? alert.isUnderWay || alert.silencedUntil > 0 : alert.phase == .pending else { continue }
                var step = begin(index, now: now)
                participants[index].retire(rule, rules, isGone: isGone, &step)
                copyOut(step, &output)
            }
        }
    }

    /// Replaces the rules. A rule that stayed the same keeps its state; of one that changed its alert stays, and its conditions
    /// begin anew. Everybody is looked at at the next moment: what is not for somebody any more ends then, and what nothing keeps quiet any more
    /// is told.
    package mutating func adopt(_ next: RuleSet) {
        var next = next
        if next.scores.isAnyOn { ScoreTracker.intern(into: &next) }
        let gone = rules.rules.indices.filter { next.rule(named: rules.rules[$0].id) == nil }
        for index in participants.indices where !names[index].isEmpty {
            let old = thawed(index)
            // Should the rule come back, its events go on behind those that were told.
            sequenceFloor = max(sequenceFloor, gone.map { old.alerts[$0].sequence }.max() ?? 0)
            let state = ParticipantState(next, name: names[index], after: old, rules, clock: clock, now: lastNow)
            participants.pack(index, as: state.encoded(next), booked: .max)
        }
        rules = next
        spreadLimit = ParticipantState.spreadLimit(next)
        placeExpected()
        rescheduleAll()
    }
}

extension ParticipantState {
    /// - Parameter isGone: otherwise only its delay begins anew.
    fileprivate mutating func retire(_ rule: Int, _ rules: RuleSet, isGone: Bool, _ step: inout EngineStep) {
        let time = eventTime(of: rule, rules, clock: step.clock)
        if isGone || alerts[rule].phase == .pending { withdraw(rule, rules, at: time, .rules, &step) }
        if isGone, alerts[rule].silencedUntil > 0 { endSilence(rule, rules, at: time, .rules, &step) }
    }

    /// - Parameter now: wall time.
    fileprivate init(_ rules: RuleSet, name: String, after old: ParticipantState, _ former: RuleSet, clock: Int64, now: Int64) {
        self.init(rules, name: name, clock: clock)
        profile = old.profile
        isClockOff = old.isClockOff
        heartRateClock = old.heartRateClock
        if scores != nil, let kept = old.scores {
            scores = kept
            scores?.translate(from: former, to: rules)
        }
        for (index, rule) in rules.rules.enumerated() {
            guard let before = former.rule(named: rule.id) else { continue }
            take(index, rules, from: old, before, former)
        }
        for (index, plan) in rules.histories.enumerated() {
            let same = former.histories.firstIndex {
                former.metrics[$0.metric] == rules.metrics[plan.metric] && $0.range == plan.range && $0.halfLife == plan.halfLife
            }
            if let same { histories[index] = old.histories[same] }
        }
        for (metric, run) in old.lateRuns { if let index = rules.metric(named: former.metrics[metric]) { lateRuns[index] = run } }
        sourceStates = old.sourceStates.compactMap { sourceState in
            rules.metric(named: former.metrics[sourceState.metric]).map { metric in
                var kept = sourceState
                kept.metric = metric
                return kept
            }
        }
        for (index, metric) in rules.qualities.enumerated() {
            let same = former.qualities.firstIndex { former.metrics[$0] == rules.metrics[metric] }
            if let same { qualities[index] = old.qualities[same] }
        }
        let excluded = applyProfile(rules, name: name, at: max(now, old.newestTime ?? .min))
        // What was told of the others ends when they are looked at next.
        for rule in excluded where !alerts[rule].isUnderWay { forget(rule, rules) }
        takeNewest(rules, from: old, former)
        compareAgain(rules)
    }

    /// Gives a rule that is new, changed or newly for this person what another rule has seen already: it is judged at once.
    mutating func takeNewest(_ rules: RuleSet, from old: ParticipantState, _ former: RuleSet) {
        var newest: [String: LeafState] = [:]
        for (index, leaf) in former.leaves.enumerated() where leaf.quantity == .value && old.leaves[index].isSeen && !leaf.isText {
            let name = former.metrics[leaf.metric]
            if old.leaves[index].arrival > newest[name]?.arrival ?? LeafState.never { newest[name] = old.leaves[index] }
        }
        for (index, leaf) in rules.leaves.enumerated() where leaf.quantity == .value && !leaves[index].isSeen && !leaf.isText {
            guard !alerts[rules.ruleOfLeaf[index]].flags.contains(.excluded) else { continue }
            guard var known = newest[rules.metrics[leaf.metric]] else { continue }
            (known.isSatisfied, known.isExceeded) = (false, false)
            leaves[index] = known
        }
    }

    private mutating func take(_ index: Int, _ rules: RuleSet, from old: ParticipantState, _ before: Int, _ former: RuleSet) {
        alerts[index] = old.alerts[before]
        notes[index] = old.notes[before]
        takeOverrides(index, rules, from: old, before, former)
        guard rules.rules[index].fingerprint == former.rules[before].fingerprint else {
            // Its conditions are unknown now; what was active stays active until they are known again.
            if alerts[index].isActive { keepFiring(index, rules) } else { alerts[index].phase = .none }
            return
        }
        for (new, level) in zip(rules.rules[index].levelRange, former.rules[before].levelRange) {
            levels[new] = old.levels[level]
            if let ring = rules.levels[new].repetition, let former = former.levels[level].repetition {
                for index in 0..<min(ring.size, former.size) { rings[ring.ring + index] = old.rings[former.ring + index] }
            }
        }
        for (new, leaf) in zip(rules.rules[index].leafRange, former.rules[before].leafRange) {
            leaves[new] = old.leaves[leaf]
            events[new] = old.events[leaf]
            if case .oneOf = rules.leaves[new].comparison, leaves[new].isSeen {
                leaves[new].value = rules.code(leaves[new].value, from: former)
            }
            takeMemory(rules.leaves[new], from: old, former.leaves[leaf], rules, former)
        }
    }

    private mutating func takeMemory(
        _ leaf: Leaf, from old: ParticipantState, _ before: Leaf, _ rules: RuleSet, _ former: RuleSet
    ) {
        guard let memory = leaf.memory, let index = before.memory else { return }
        switch leaf.quantity {
        case .value: break
        case .window, .predicted: windows[memory] = old.windows[index]
        case .days, .deviation: days[memory] = old.days[index]
        case .anchored: anchors[memory] = old.anchors[index]
        case .computed(let expression):
            for input in rules.expressions[expression].metrics.indices { inputs[memory + input] = old.inputs[index + input] }
        }
    }

    private mutating func keepFiring(_ index: Int, _ rules: RuleSet) {
        let range = rules.rules[index].levelRange
        let level = range.last { rules.levels[$0].severity <= alerts[index].severity } ?? range.lowerBound
        levels[level].phase = .firing
        alerts[index].severity = rules.levels[level].severity
    }

    private mutating func takeOverrides(
        _ index: Int, _ rules: RuleSet, from old: ParticipantState, _ before: Int, _ former: RuleSet
    ) {
        for level in former.rules[before].levelRange {
            guard case .leaf(let leaf) = former.levels[level].condition, let slot = former.leaves[leaf].comparison.thresholds.first?.slot,
                let value = old.overrides[slot],
                let new = rules.rules[index].levelRange.first(where: { rules.levels[$0].severity == former.levels[level].severity }),
                case .leaf(let newLeaf) = rules.levels[new].condition,
                let newSlot = rules.leaves[newLeaf].comparison.thresholds.first?.slot
            else { continue }
            overrides[newSlot] = value
        }
    }

    var newestTime: Int64? { leaves.filter(\.isSeen).map(\.time).max() }
}

extension Leaf {
    /// It compares texts, whose values are places in the vocabulary of its own rule set, or waits for a silence.
    fileprivate var isText: Bool {
        switch comparison {
        case .oneOf, .silent: true
        default: false
        }
    }
}
