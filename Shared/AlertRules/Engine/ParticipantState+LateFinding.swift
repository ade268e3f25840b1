/// Critical readings that come too late to be judged as the present: somebody hears of them all the same, as of the past.
extension ParticipantState {
    /// Between two late findings of a rule, in microseconds of the engine's clock.
    private static let lateInterval: Int64 = 3600 * 1_000_000

    /// Tells of a reading that exceeds a critical limit and is older than its rule judges. The alert stays what it is.
    ///
    /// Where the level has a delay, the late readings must exceed the limit for as long, unless the series is one of single measurements.
    mutating func tellLate(
        _ reading: Reading, at time: Int64, leaf index: Int, rule: Int, _ rules: RuleSet, _ step: inout EngineStep
    ) {
        guard rules.rules[rule].kind == .medical, alerts[rule].phase == .none, alerts[rule].rearm == .none,
            rules.leaves[index].quantity == .value, !rules.leaves[index].isSilent,
            reading.received - time <= max(rules.rules[rule].lateUntil, rules.rules[rule].maximumAge),
            let level = criticalLevel(of: index, rule, rules)
        else { return }
        guard isSatisfied(index, by: reading.value, slack: 0, rules) else {
            notes[rule]?.lateSince = 0
            return
        }
        if (notes[rule]?.lateSince ?? 0) == 0 { notes[rule, default: AlertNote()].lateSince = time }
        let note = notes[rule, default: AlertNote()]
        let isSpot = leaves[index].gaps < LeafState.gapsToLearn || leaves[index].usualSilence > rules.levelPlans[level].delay
        guard isSpot || time - note.lateSince >= rules.levelPlans[level].delay else { return }
        guard note.lateClock == 0 || step.clock - note.lateClock >= Self.lateInterval else { return }
        notes[rule]?.lateClock = max(1, step.clock)
        emitLate(reading, at: time, leaf: index, level: level, rule: rule, rules, &step)
    }

    /// The critical level whose whole condition is a leaf, and that asks for no repetition.
    private func criticalLevel(of leaf: Int, _ rule: Int, _ rules: RuleSet) -> Int? {
        rules.rules[rule].levelRange.last {
            rules.levelPlans[$0].severity == .critical && rules.levelPlans[$0].leaf == leaf && !rules.levelPlans[$0].isRepeated
        }
    }

    private mutating func emitLate(
        _ reading: Reading, at time: Int64, leaf: Int, level: Int, rule: Int, _ rules: RuleSet, _ step: inout EngineStep
    ) {
        emit(.foundLate, rule, rules, at: time, .reading, &step)
        let index = step.events.count - 1
        step.events[index].alert.severity = .critical
        step.events[index].alert.priority = rules.levels[level].priority
        step.events[index].alert.since = time
        step.events[index].alert.metric = rules.leaves[leaf].metric
        step.events[index].alert.threshold = threshold(of: leaf, rules)
        if case .oneOf = rules.leaves[leaf].comparison {
            step.events[index].alert.value = nil
        } else {
            step.events[index].alert.value = reading.value
        }
    }
}
