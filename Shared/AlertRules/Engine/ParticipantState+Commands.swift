extension ParticipantState {
    mutating func apply(
        _ request: AlertRequest, rule: Int, name: String, _ rules: RuleSet, _ step: inout EngineStep
    ) throws(AlertCommandError) {
        switch request.command {
        case .acknowledge: try acknowledge(request, rule, rules, &step)
        case .silence(let end, let severity): try silence(request, rule, until: end, upTo: severity, rules, &step)
        case .unsilence: unsilence(request, rule, rules, &step)
        case .clear: try clearByHand(request, rule, rules, &step)
        case .setThreshold(let severity, let value): try setThreshold(request, rule, severity, value, rules, name, &step)
        case .setProfile(let profile): setProfile(request, rule, profile, rules, name, &step)
        }
    }

    private mutating func acknowledge(
        _ request: AlertRequest, _ rule: Int, _ rules: RuleSet, _ step: inout EngineStep
    ) throws(AlertCommandError) {
        guard alerts[rule].isActive else { throw .nothingActive }
        guard !alerts[rule].isAcknowledged else { return }
        alerts[rule].acknowledged = alerts[rule].severity
        notes[rule, default: AlertNote()].acknowledgedBy = request.actor
        emit(.acknowledged, rule, rules, at: request.time, .command, by: request.actor, reason: request.reason, &step)
        // A latched alert whose condition is over was only waiting for this.
        guard alerts[rule].flags.contains(.recovered) else { return }
        clear(rule, rules, at: request.time, .command, by: request.actor, &step)
        showPending(rule, rules, at: request.time, &step)
    }

    private mutating func silence(
        _ request: AlertRequest, _ rule: Int, until end: Int64, upTo severity: Severity?, _ rules: RuleSet, _ step: inout EngineStep
    ) throws(AlertCommandError) {
        guard end > step.now else { throw .endInThePast }
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
        _ request: AlertRequest, _ rule: Int, _ rules: RuleSet, _ step: inout EngineStep
    ) throws(AlertCommandError) {
        guard alerts[rule].isActive else { throw .nothingActive }
        // Latched and over: nothing needs to stay quiet. Otherwise what is not worse does, until it has ended once.
        if !alerts[rule].flags.contains(.recovered) { alerts[rule].rearm = alerts[rule].severity }
        clear(rule, rules, at: request.time, .command, by: request.actor, reason: request.reason, &step)
        showPending(rule, rules, at: request.time, &step)
    }

    private mutating func setThreshold(
        _ request: AlertRequest, _ rule: Int, _ severity: Severity?, _ value: Double?, _ rules: RuleSet, _ name: String,
        _ step: inout EngineStep
    ) throws(AlertCommandError) {
        let places = rules.rules[rule].levelRange.filter { severity == nil || rules.levels[$0].severity == severity }
        guard places.count == 1, case .leaf(let leaf) = rules.levels[places[0]].condition,
            let threshold = rules.leaves[leaf].comparison.thresholds.first, rules.leaves[leaf].comparison.thresholds.count == 1
        else { throw .noThreshold }
        guard overrides[threshold.slot] != value else { return }
        overrides[threshold.slot] = value
        applyProfile(rules, name: name, at: step.now)
        let words = value.map { "set to \($0)" } ?? "back to the rule's"
        let reason = "\(rules.levels[places[0]].severity.name) threshold \(words)" + (request.reason.map { ": \($0)" } ?? "")
        emit(.thresholdChanged, rule, rules, at: request.time, .command, by: request.actor, reason: reason, &step)
    }

    private mutating func setProfile(
        _ request: AlertRequest, _ rule: Int, _ profile: ParticipantProfile, _ rules: RuleSet, _ name: String, _ step: inout EngineStep
    ) {
        guard self.profile != profile else { return }
        self.profile = profile
        applyProfile(rules, name: name, at: step.now)
        emit(.profileChanged, rule, rules, at: request.time, .command, by: request.actor, reason: request.reason, &step)
    }
}
