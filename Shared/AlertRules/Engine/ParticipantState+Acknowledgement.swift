/// The end of an acknowledgement while its alert goes on: after a time, or where the alert becomes worse by a margin.
extension ParticipantState {
    /// Notes what was acknowledged, and until when that counts.
    mutating func noteAcknowledgement(_ rule: Int, _ rules: RuleSet, clock: Int64) {
        let measure = measure(of: rule, rules)
        let lasts = acknowledgement(of: rule, rules).end(alerts[rule].severity)
        notes[rule, default: AlertNote()].acknowledgedEnd = lasts > 0 ? clock + lasts : 0
        notes[rule]?.acknowledgedValue = measure
    }

    /// The settings of the level whose severity the alert has.
    private func acknowledgement(of rule: Int, _ rules: RuleSet) -> RuleLevel.Acknowledgement {
        let range = rules.rules[rule].levelRange
        let level = range.first { rules.levels[$0].severity == alerts[rule].severity }
        return rules.levels[level ?? range.lowerBound].acknowledgement
    }

    /// Takes the acknowledgement back from an alert that has become worse by a margin within its severity.
    mutating func tellWorsening(_ rule: Int, _ rules: RuleSet, at time: Int64, _ cause: AlertEvent.Cause, _ step: inout EngineStep) {
        guard alerts[rule].isActive, alerts[rule].isAcknowledged, !alerts[rule].flags.contains(.recovered),
            alerts[rule].acknowledged == alerts[rule].severity, let before = notes[rule]?.acknowledgedValue
        else { return }
        let own = acknowledgement(of: rule, rules).worsensBy
        guard isWorse(rule, rules, than: before, margins: 2, by: { own ?? distance(of: $0, rule, rules) }) else { return }
        endAcknowledgement(rule, rules, .worsened, at: time, cause, &step)
    }

    /// Takes an acknowledgement back whose time is over.
    mutating func endAcknowledgement(_ rule: Int, _ rules: RuleSet, _ step: inout EngineStep) {
        guard let end = acknowledgementEnd(rule), end <= step.clock else { return }
        endAcknowledgement(rule, rules, .reminded, at: eventTime(of: rule, rules, clock: step.clock), .timer, &step)
    }

    /// The engine's clock at which the acknowledgement of an active alert ends; nil: it does not.
    func acknowledgementEnd(_ rule: Int) -> Int64? {
        guard alerts[rule].isActive, alerts[rule].isAcknowledged, let end = notes[rule]?.acknowledgedEnd, end > 0 else { return nil }
        return end
    }

    mutating func forgetAcknowledgement(_ rule: Int) {
        notes[rule]?.acknowledgedBy = nil
        notes[rule]?.acknowledgedEnd = 0
        notes[rule]?.acknowledgedValue = nil
    }

    private mutating func endAcknowledgement(
        _ rule: Int, _ rules: RuleSet, _ transition: AlertEvent.Transition, at time: Int64, _ cause: AlertEvent.Cause,
        _ step: inout EngineStep
    ) {
        alerts[rule].acknowledged = .none
        alerts[rule].alarmedClock = step.clock
        alerts[rule].stage = 0
        forgetAcknowledgement(rule)
        emit(transition, rule, rules, at: time, cause, &step)
    }

    /// The margin by which an acknowledged value must become worse: twice its dead band, or its distance from the next milder level and at most a
    /// tenth of its limit, the more of both.
    private func distance(of leaf: Int, _ rule: Int, _ rules: RuleSet) -> Double {
        let band = 2 * rules.leaves[leaf].slack
        guard let limit = threshold(of: leaf, rules) else { return band }
        let milder = rules.rules[rule].leafRange.compactMap { index -> Double? in
            guard index != leaf, rules.leaves[index].metric == rules.leaves[leaf].metric, let other = threshold(of: index, rules) else {
                return nil
            }
            return other == limit ? nil : abs(limit - other)
        }.min()
        guard let milder else { return band > 0 ? band : abs(limit) / 10 }
        return max(band, min(milder, abs(limit) / 10))
    }
}
