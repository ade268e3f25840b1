import VigilSchema

extension ParticipantState {
    mutating func apply(
        _ request: AlertRequest, rule: Int, name: String, _ rules: RuleSet, _ step: inout EngineStep
    ) throws(AlertCommandError) {
        switch request.command {
        case .acknowledge: try acknowledge(request, rule, rules, &step)
        case .silence(let end, let severity): try silence(request, rule, until: end, upTo: severity, rules, &step)
        case .unsilence: unsilence(request, rule, rules, &step)
        case .clear(let end): try clearByHand(request, rule, until: end, rules, &step)
        case .setThreshold(let severity, let value): try setThreshold(request, rule, severity, value, rules, name, &step)
        case .setProfile(let profile): setProfile(request, rule, profile, rules, name, &step)
        }
    }

    private mutating func acknowledge(
        _ request: AlertRequest, _ rule: Int, _ rules: RuleSet, _ step: inout EngineStep
    ) throws(AlertCommandError) {
        guard alerts[rule].isActive else { throw .nothingActive }
        guard !alerts[rule].isAcknowledged else { return }
        try checkSight(of: rule, request, step)
        alerts[rule].acknowledged = alerts[rule].severity
        notes[rule, default: AlertNote()].acknowledgedBy = request.actor
        noteAcknowledgement(rule, rules, clock: step.clock)
        emit(.acknowledged, rule, rules, at: request.time, .command, by: request.actor, reason: request.reason, &step)
        // A latched alert whose condition is over was only waiting for this.
        guard alerts[rule].flags.contains(.recovered) else { return }
        clear(rule, rules, at: request.time, .command, by: request.actor, &step)
        showPending(rule, rules, at: request.time, &step)
    }

    /// An answer counts for what its sender saw: not for an alert that has become worse since, nor for one that was raised later.
    private func checkSight(of rule: Int, _ request: AlertRequest, _ step: EngineStep) throws(AlertCommandError) {
        let alert = alerts[rule]
        if let seen = request.seen.severity, seen < alert.severity { throw .isWorse(than: seen, alert.severity) }
        guard let given = request.seen.time else { return }
        // The clock of the sender may be behind as much as it may be ahead.
        let age = step.now - given - (request.seen.isExact ? 0 : AlertEngine.commandTolerance)
        if age > step.clock - alert.alarmedClock { throw .isAnother }
    }

    private mutating func silence(
        _ request: AlertRequest, _ rule: Int, until end: Int64, upTo severity: Severity?, _ rules: RuleSet, _ step: inout EngineStep
    ) throws(AlertCommandError) {
        if request.seen.isExact { try checkSight(of: rule, request, step) }
        guard end > step.now else { throw .endInThePast }
        guard end - step.now <= AlertEngine.longestSilence else { throw .tooLong(AlertEngine.longestSilence) }
        let mildest = rules.levels[rules.rules[rule].levelRange.lowerBound].severity
        let severity = severity ?? (alerts[rule].isActive ? alerts[rule].severity : mildest)
        guard alerts[rule].silencedUntil != end || alerts[rule].silence != severity else { return }
        alerts[rule].silencedUntil = end
        alerts[rule].silence = severity
        notes[rule, default: AlertNote()].silencedBy = request.actor
        notes[rule]?.silenceReason = request.reason
        notes[rule]?.silenceEnd = step.clock + (end - step.now)
        emit(.silenced, rule, rules, at: request.time, .command, by: request.actor, reason: request.reason, &step)
    }

    private mutating func unsilence(_ request: AlertRequest, _ rule: Int, _ rules: RuleSet, _ step: inout EngineStep) {
        guard alerts[rule].silencedUntil > 0 else { return }
        alerts[rule].silencedUntil = 0
        alerts[rule].silence = .none
        notes[rule]?.silencedBy = nil
        notes[rule]?.silenceReason = nil
        emit(.unsilenced, rule, rules, at: request.time, .command, by: request.actor, reason: request.reason, &step)
    }

    private mutating func clearByHand(
        _ request: AlertRequest, _ rule: Int, until end: Int64, _ rules: RuleSet, _ step: inout EngineStep
    ) throws(AlertCommandError) {
        guard alerts[rule].isActive else { throw .nothingActive }
        try checkSight(of: rule, request, step)
        // Over, or nothing known of it any more: nothing needs to stay quiet. Otherwise what is not worse does, until it has ended once or the time is
        // over.
        let isLost = alerts[rule].flags.contains(.dataLost) && forgetUnknown(rule, rules, clock: step.clock)
        if !isLost, !alerts[rule].flags.contains(.recovered) {
            let longest = rules.rules[rule].clearFor
            let end = end == AlertCommand.asLongAsAllowed ? request.time + longest : end
            guard end > step.now else { throw .endInThePast }
            guard end - request.time <= longest else { throw .tooLong(longest) }
            alerts[rule].rearm = alerts[rule].severity
            let value = measure(of: rule, rules)
            notes[rule, default: AlertNote()].clearedUntil = end
            notes[rule]?.clearEnd = step.clock + (end - step.now)
            notes[rule]?.clearedValue = value ?? .nan
        }
        clear(rule, rules, at: request.time, .command, by: request.actor, reason: request.reason, &step)
        showPending(rule, rules, at: request.time, &step)
    }

    private mutating func setThreshold(
        _ request: AlertRequest, _ rule: Int, _ severity: Severity?, _ value: Double?, _ rules: RuleSet, _ name: String,
        _ step: inout EngineStep
    ) throws(AlertCommandError) {
        let indices = rules.rules[rule].levelRange.filter { severity == nil || rules.levels[$0].severity == severity }
        guard indices.count == 1, case .leaf(let leaf) = rules.levels[indices[0]].condition,
            let threshold = rules.leaves[leaf].comparison.thresholds.first, rules.leaves[leaf].comparison.thresholds.count == 1
        else { throw .noThreshold }
        guard overrides[threshold.slot] != value else { return }
        if let value { try check(value, indices[0], leaf, rule, rules) }
        overrides[threshold.slot] = value
        let excluded = applyProfile(rules, name: name, at: step.now)
        compareAgain(rules)
        let words = value.map { "set to \($0)" } ?? "back to the rule's"
        let reason = "\(rules.levels[indices[0]].severity.name) threshold \(words)" + (request.reason.map { ": \($0)" } ?? "")
        emit(.thresholdChanged, rule, rules, at: request.time, .command, by: request.actor, reason: reason, &step)
        for index in excluded { exclude(index, rules, at: request.time, .command, by: request.actor, &step) }
        if !alerts[rule].flags.contains(.excluded) { evaluate(rule, rules, time: nil, cause: .command, &step) }
    }

    /// A limit of somebody's own must be one that readings can pass, have a reason, and leave the levels in their order.
    private func check(
        _ value: Double, _ level: Int, _ leaf: Int, _ rule: Int, _ rules: RuleSet
    ) throws(AlertCommandError) {
        let definition = rules.leaves[leaf]
        guard value.isFinite else { throw .implausible }
        if definition.quantity.isOfTheMetricsRange,
            let range = MetricCatalogue.standard.definition(named: rules.metrics[definition.metric])?.plausible,
            !(range.contains(value) && value > range.lowerBound && value < range.upperBound)
        {
            throw .implausible
        }
        for other in rules.rules[rule].levelRange where other != level {
            guard case .leaf(let index) = rules.levels[other].condition,
                let sign = Self.direction(definition, rules.leaves[index]),
                let threshold = rules.leaves[index].comparison.thresholds.first
            else { continue }
            let distance = (value - limit(threshold)) * sign * (other < level ? 1 : -1)
            if distance < 0 { throw .outOfOrder(rules.levels[other].severity, limit(threshold)) }
        }
    }

    /// 1 where higher is worse in both, -1 where lower is; nil where they do not compare the same.
    private static func direction(_ one: Leaf, _ other: Leaf) -> Double? {
        guard one.metric == other.metric, one.quantity == other.quantity else { return nil }
        return switch (one.comparison, other.comparison) {
        case (.above, .above): 1
        case (.below, .below): -1
        default: nil
        }
    }

    private mutating func setProfile(
        _ request: AlertRequest, _ rule: Int, _ profile: PersonFacts, _ rules: RuleSet, _ name: String, _ step: inout EngineStep
    ) {
        guard self.profile != profile else { return }
        self.profile = profile
        let excluded = applyProfile(rules, name: name, at: step.now)
        takeNewest(rules, from: self, rules)
        compareAgain(rules)
        uncovered = []
        emit(.profileChanged, rule, rules, at: request.time, .command, by: request.actor, reason: request.reason, &step)
        for index in excluded { exclude(index, rules, at: request.time, .command, by: request.actor, &step) }
        for index in rules.rules.indices where !alerts[index].flags.contains(.excluded) {
            evaluate(index, rules, time: nil, cause: .command, &step)
        }
        scheduleBirthday(step)
    }
}
