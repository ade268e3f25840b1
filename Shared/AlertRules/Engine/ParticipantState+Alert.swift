extension ParticipantState {
    /// Brings the alert to what the levels say, an event for each change.
    mutating func update(
        _ rule: Int, _ rules: RuleSet, _ outcome: Outcome, at time: Int64, cause: AlertEvent.Cause, _ step: inout EngineStep
    ) {
        if outcome.severity == .none { alerts[rule].rearm = .none }
        let severity = outcome.severity > alerts[rule].rearm ? outcome.severity : .none
        switch alerts[rule].phase {
        case .none, .pending:
            if severity != .none {
                raise(rule, rules, severity, since: min(time, outcome.firingSince ?? time), at: time, cause, &step)
            } else {
                setPending(rule, rules, outcome, at: time, cause, &step)
            }
        case .active:
            if severity == .none {
                end(rule, rules, at: time, cause, &step)
            } else {
                change(rule, rules, severity, at: time, cause, &step)
            }
        }
        setDataLost(rule, rules, outcome.isDataLost, at: time, cause, &step)
    }

    private mutating func raise(
        _ rule: Int, _ rules: RuleSet, _ severity: Severity, since: Int64, at time: Int64, _ cause: AlertEvent.Cause,
        _ step: inout EngineStep
    ) {
        alerts[rule].phase = .active
        alerts[rule].severity = severity
        alerts[rule].acknowledged = .none
        alerts[rule].flags.subtract([.recovered, .dataLost])
        alerts[rule].since = since
        alarm(rule, step)
        emit(.raised, rule, rules, at: time, cause, &step)
        spreadInhibition(from: rule, rules, at: time, &step)
    }

    private mutating func alarm(_ rule: Int, _ step: EngineStep) {
        alerts[rule].alarmedClock = step.clock
        alerts[rule].stage = 0
    }

    private mutating func setPending(
        _ rule: Int, _ rules: RuleSet, _ outcome: Outcome, at time: Int64, _ cause: AlertEvent.Cause, _ step: inout EngineStep
    ) {
        // A rule cleared by hand stays quiet: its pending levels are shown again once it is re-armed.
        let isPending = outcome.isPending && alerts[rule].rearm == .none
        if isPending, alerts[rule].phase == .none {
            alerts[rule].phase = .pending
            alerts[rule].since = outcome.pendingSince
            emit(.pending, rule, rules, at: time, cause, &step)
        } else if !isPending, alerts[rule].phase == .pending {
            alerts[rule].phase = .none
            emit(.cancelled, rule, rules, at: time, cause, &step)
        }
    }

    private mutating func change(
        _ rule: Int, _ rules: RuleSet, _ severity: Severity, at time: Int64, _ cause: AlertEvent.Cause, _ step: inout EngineStep
    ) {
        let before = alerts[rule].severity
        if alerts[rule].flags.contains(.recovered) {
            alerts[rule].flags.remove(.recovered)
            alerts[rule].severity = severity
            alarm(rule, step)
            emit(.recurred, rule, rules, at: time, cause, &step)
        } else if severity > before {
            alerts[rule].severity = severity
            if alerts[rule].acknowledged < severity { alerts[rule].acknowledged = .none }
            alarm(rule, step)
            emit(.severityRaised, rule, rules, at: time, cause, &step)
        } else if severity < before {
            alerts[rule].severity = severity
            emit(.severityLowered, rule, rules, at: time, cause, &step)
        }
    }

    private mutating func end(
        _ rule: Int, _ rules: RuleSet, at time: Int64, _ cause: AlertEvent.Cause, _ step: inout EngineStep
    ) {
        guard rules.rules[rule].isLatching, !alerts[rule].isAcknowledged else { return clear(rule, rules, at: time, cause, &step) }
        guard !alerts[rule].flags.contains(.recovered) else { return }
        alerts[rule].flags.insert(.recovered)
        alerts[rule].flags.remove(.dataLost)
        emit(.recovered, rule, rules, at: time, cause, &step)
    }

    /// Ends the alert.
    mutating func clear(
        _ rule: Int, _ rules: RuleSet, at time: Int64, _ cause: AlertEvent.Cause, by actor: String? = nil, reason: String? = nil,
        _ step: inout EngineStep
    ) {
        alerts[rule].phase = .none
        alerts[rule].flags.subtract([.recovered, .dataLost])
        emit(.cleared, rule, rules, at: time, cause, by: actor, reason: reason, &step)
        alerts[rule].severity = .none
        alerts[rule].acknowledged = .none
        alerts[rule].stage = 0
        notes[rule]?.acknowledgedBy = nil
        spreadInhibition(from: rule, rules, at: time, &step)
    }

    private mutating func setDataLost(
        _ rule: Int, _ rules: RuleSet, _ isLost: Bool, at time: Int64, _ cause: AlertEvent.Cause, _ step: inout EngineStep
    ) {
        guard alerts[rule].isActive, isLost != alerts[rule].flags.contains(.dataLost) else { return }
        if isLost { alerts[rule].flags.insert(.dataLost) } else { alerts[rule].flags.remove(.dataLost) }
        emit(isLost ? .dataLost : .dataBack, rule, rules, at: time, cause, &step)
    }

    /// After an alert was ended by a command: a delay that is running is shown from then on.
    mutating func showPending(_ rule: Int, _ rules: RuleSet, at time: Int64, _ step: inout EngineStep) {
        var outcome = Outcome()
        for place in rules.rules[rule].levelRange { outcome.add(levels[place], .unknown, rules.levels[place].severity, place) }
        guard outcome.severity == .none else { return }
        setPending(rule, rules, outcome, at: time, .command, &step)
    }

    /// Tells the rules that this one keeps quiet whether it is active.
    private mutating func spreadInhibition(from rule: Int, _ rules: RuleSet, at time: Int64, _ step: inout EngineStep) {
        for target in rules.inhibited[rule] {
            let isInhibited = rules.rules[target].inhibitors.contains { alerts[$0].isActive }
            guard isInhibited != alerts[target].flags.contains(.inhibited) else { continue }
            if isInhibited { alerts[target].flags.insert(.inhibited) } else { alerts[target].flags.remove(.inhibited) }
            guard alerts[target].isActive else { continue }
            emit(isInhibited ? .inhibited : .uninhibited, target, rules, at: time, .inhibition, &step)
            book(target, rules, &step)
        }
    }

    /// Notes an event; its number is the alert's next.
    mutating func emit(
        _ transition: AlertEvent.Transition, _ rule: Int, _ rules: RuleSet, at time: Int64, _ cause: AlertEvent.Cause,
        by actor: String? = nil, reason: String? = nil, escalatedTo: String? = nil, _ step: inout EngineStep
    ) {
        alerts[rule].sequence = (alerts[rule].sequence == 0 ? step.sequenceFloor : alerts[rule].sequence) + 1
        step.events.append(
            AlertEvent(
                participant: step.participant, rule: rule, sequence: alerts[rule].sequence, transition: transition, cause: cause,
                time: time, alert: snapshot(of: rule, rules, clock: step.clock), actor: actor, reason: reason, escalatedTo: escalatedTo))
    }
}
