extension ParticipantState {
    /// Brings the alert to what the levels say, an event for each change.
    mutating func update(
        _ rule: Int, _ rules: RuleSet, _ outcome: Outcome, at time: Int64, cause: AlertEvent.Cause, _ step: inout EngineStep
    ) {
        // A worse level ends the quiet however little the value has changed: nothing waits to be told of it while the alert is there.
        if alerts[rule].rearm != .none, outcome.severity == .none || outcome.severity > alerts[rule].rearm || isWorse(rule, rules) {
            rearm(rule, rules, at: time, cause, &step)
        }
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
            } else if !outcome.isDataLost, alerts[rule].isLongLost(at: step.clock) {
                recur(rule, rules, severity, since: min(time, outcome.firingSince ?? time), at: time, cause, &step)
            } else {
                change(rule, rules, severity, at: time, cause, &step)
                if !outcome.isDataLost { tellWorsening(rule, rules, at: time, cause, &step) }
            }
        }
        setDataLost(rule, rules, outcome.isDataLost, at: time, cause, &step)
    }

    /// Tells whether an alert that was ended by hand has become worse by a margin since: by its dead band or a twentieth of its limit, the less of
    /// both. Of several metrics the one that lies furthest beyond its limit counts.
    private func isWorse(_ rule: Int, _ rules: RuleSet) -> Bool {
        guard let before = notes[rule]?.clearedValue else { return false }
        return isWorse(rule, rules, than: before, margins: 1) { margin(of: $0, rules) }
    }

    /// Tells whether an alert has become worse than a measure of it.
    /// - Parameter margins: of several metrics, by how many of their margins.
    func isWorse(_ rule: Int, _ rules: RuleSet, than before: Double, margins: Double, by margin: (Int) -> Double) -> Bool {
        guard !before.isNaN else { return false }
        if rules.rules[rule].isMixed { return excess(of: rule, rules).map { $0 - before >= margins - 0.000_001 } ?? false }
        guard let leaf = decisiveLeaf(of: rule, rules) else { return false }
        let definition = rules.leaves[leaf]
        guard let worsening = definition.comparison.worsening(from: before, to: leaves[leaf].value, limit: limit) else { return false }
        return leaves[leaf].isExceeded && worsening > 0 && worsening >= margin(leaf)
    }

    private func margin(of leaf: Int, _ rules: RuleSet) -> Double {
        let (slack, share) = (rules.leaves[leaf].slack, abs(threshold(of: leaf, rules) ?? 0) / 20)
        return slack > 0 ? min(slack, share) : share
    }

    /// Returns the measure by which an alert's worsening after a clear by hand is told: its value or, where it compares several metrics, by how
    /// many margins the worst of them lies beyond its limit.
    func measure(of rule: Int, _ rules: RuleSet) -> Double? {
        if rules.rules[rule].isMixed { return excess(of: rule, rules) }
        return decisiveLeaf(of: rule, rules).flatMap { value(of: $0, rules) }
    }

    private func excess(of rule: Int, _ rules: RuleSet) -> Double? {
        rules.rules[rule].leafRange.compactMap { leaf -> Double? in
            guard leaves[leaf].isSeen, leaves[leaf].isExceeded, let limit = threshold(of: leaf, rules),
                let beyond = rules.leaves[leaf].comparison.worsening(from: limit, to: leaves[leaf].value, limit: self.limit)
            else { return nil }
            let margin = margin(of: leaf, rules)
            return beyond / (margin > 0 ? margin : 1)
        }.max()
    }

    /// Lets an alert that was ended by hand alarm again.
    mutating func rearm(_ rule: Int, _ rules: RuleSet, at time: Int64, _ cause: AlertEvent.Cause, _ step: inout EngineStep) {
        alerts[rule].rearm = .none
        notes[rule]?.clearedUntil = 0
        notes[rule]?.clearEnd = 0
        notes[rule]?.clearedValue = .nan
        emit(.clearEnded, rule, rules, at: time, cause, &step)
    }

    private mutating func raise(
        _ rule: Int, _ rules: RuleSet, _ severity: Severity, since: Int64, at time: Int64, _ cause: AlertEvent.Cause,
        _ step: inout EngineStep
    ) {
        if alerts[rule].phase == .none { alerts[rule].flags.remove(.inhibited) }
        alerts[rule].phase = .active
        alerts[rule].severity = severity
        alerts[rule].acknowledged = .none
        alerts[rule].flags.subtract([.recovered, .dataLost])
        alerts[rule].since = since
        beginEpisode(rule, step)
        setInhibited(rule, rules, clock: step.clock)
        emit(.raised, rule, rules, at: time, cause, reason: reason(rule, rules), &step)
        spread(from: rule, rules, at: time, &step)
    }

    /// Begins another episode of an alert whose data were lost for long: whatever was answered was the one before.
    private mutating func recur(
        _ rule: Int, _ rules: RuleSet, _ severity: Severity, since: Int64, at time: Int64, _ cause: AlertEvent.Cause,
        _ step: inout EngineStep
    ) {
        alerts[rule].severity = severity
        alerts[rule].acknowledged = .none
        forgetAcknowledgement(rule)
        alerts[rule].flags.subtract([.recovered, .dataLost, .inhibited])
        alerts[rule].since = since
        alerts[rule].endedClock = 0
        alarm(rule, step)
        setInhibited(rule, rules, clock: step.clock)
        emit(.recurred, rule, rules, at: time, cause, &step)
        spread(from: rule, rules, at: time, &step)
    }

    /// Resumes the escalation of an alert that ended unanswered and is back soon: it is the same episode.
    private mutating func beginEpisode(_ rule: Int, _ step: EngineStep) {
        let pause = step.clock - alerts[rule].endedClock
        if alerts[rule].endedClock != 0, pause <= AlertEngine.episodeGap {
            alerts[rule].alarmedClock += pause
        } else {
            alarm(rule, step)
        }
        alerts[rule].endedClock = 0
    }

    private mutating func alarm(_ rule: Int, _ step: EngineStep) {
        alerts[rule].alarmedClock = step.clock
        alerts[rule].stage = 0
    }

    /// The subject of an alert of somebody whom no rule judges.
    private func reason(_ rule: Int, _ rules: RuleSet) -> String? {
        rule == rules.uncoveredRule ? uncovered.map { rules.metrics[$0] }.sorted().joined(separator: ", ") : nil
    }

    private mutating func setPending(
        _ rule: Int, _ rules: RuleSet, _ outcome: Outcome, at time: Int64, _ cause: AlertEvent.Cause, _ step: inout EngineStep
    ) {
        // A rule cleared by hand stays quiet: its pending levels are shown again once it is re-armed.
        let isPending = outcome.isPending && alerts[rule].rearm == .none
        if isPending, alerts[rule].phase == .none {
            alerts[rule].flags.remove(.inhibited)
            setInhibited(rule, rules, clock: step.clock)
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
            setInhibited(rule, rules, clock: step.clock)
            emit(.recurred, rule, rules, at: time, cause, &step)
            spread(from: rule, rules, at: time, &step)
        } else if severity > before {
            // Worse than what was acknowledged: from now on nobody has. What nobody had acknowledged waits no longer for it.
            if alerts[rule].isAcknowledged, alerts[rule].acknowledged < severity { alarm(rule, step) }
            alerts[rule].severity = severity
            if alerts[rule].acknowledged < severity { alerts[rule].acknowledged = .none }
            setInhibited(rule, rules, clock: step.clock)
            emit(.severityRaised, rule, rules, at: time, cause, &step)
            spread(from: rule, rules, at: time, &step)
        } else if severity < before {
            alerts[rule].severity = severity
            setInhibited(rule, rules, clock: step.clock)
            emit(.severityLowered, rule, rules, at: time, cause, &step)
            spread(from: rule, rules, at: time, &step)
        }
    }

    private mutating func end(
        _ rule: Int, _ rules: RuleSet, at time: Int64, _ cause: AlertEvent.Cause, _ step: inout EngineStep
    ) {
        guard rules.rules[rule].isLatching, !alerts[rule].isAcknowledged else { return clear(rule, rules, at: time, cause, &step) }
        guard !alerts[rule].flags.contains(.recovered) else { return }
        alerts[rule].flags.insert(.recovered)
        alerts[rule].flags.remove(.dataLost)
        alerts[rule].endedClock = 0
        emit(.recovered, rule, rules, at: time, cause, &step)
        spread(from: rule, rules, at: time, &step)
    }

    /// Ends the alert.
    mutating func clear(
        _ rule: Int, _ rules: RuleSet, at time: Int64, _ cause: AlertEvent.Cause, by actor: String? = nil, reason: String? = nil,
        _ step: inout EngineStep
    ) {
        alerts[rule].phase = .none
        alerts[rule].flags.subtract([.recovered, .dataLost])
        let isUnanswered = !alerts[rule].isAcknowledged && cause != .command && cause != .rules
        alerts[rule].endedClock = isUnanswered ? step.clock : 0
        emit(.cleared, rule, rules, at: time, cause, by: actor, reason: reason, &step)
        alerts[rule].severity = .none
        alerts[rule].acknowledged = .none
        if !isUnanswered { alerts[rule].stage = 0 }
        forgetAcknowledgement(rule)
        spread(from: rule, rules, at: time, &step)
    }

    private mutating func setDataLost(
        _ rule: Int, _ rules: RuleSet, _ isLost: Bool, at time: Int64, _ cause: AlertEvent.Cause, _ step: inout EngineStep
    ) {
        guard alerts[rule].isActive, isLost != alerts[rule].flags.contains(.dataLost) else { return }
        if isLost { alerts[rule].flags.insert(.dataLost) } else { alerts[rule].flags.remove(.dataLost) }
        alerts[rule].endedClock = isLost ? step.clock : 0
        emit(isLost ? .dataLost : .dataBack, rule, rules, at: time, cause, &step)
        tellInhibited(by: rule, rules, at: time, &step)
    }

    /// After an alert was ended by a command: a delay that is running is shown from then on.
    mutating func showPending(_ rule: Int, _ rules: RuleSet, at time: Int64, _ step: inout EngineStep) {
        var outcome = Outcome()
        for index in rules.rules[rule].levelRange { outcome.add(levels[index], .unknown, rules.levels[index].severity) }
        guard outcome.severity == .none else { return }
        setPending(rule, rules, outcome, at: time, .command, &step)
    }

    /// Tells the rules that this one keeps quiet, and those whose conditions name it, how it stands.
    private mutating func spread(from rule: Int, _ rules: RuleSet, at time: Int64, _ step: inout EngineStep) {
        tellInhibited(by: rule, rules, at: time, &step)
        for dependent in rules.dependents[rule] where !alerts[dependent].flags.contains(.excluded) {
            evaluate(dependent, rules, time: nil, &step)
        }
    }

    /// Works out anew whether an alert is kept quiet, and tells where that has changed.
    /// - Parameter time: event time; nil: the rule's own at this moment.
    mutating func tellInhibition(of rule: Int, _ rules: RuleSet, at time: Int64?, _ step: inout EngineStep) {
        let wasInhibited = alerts[rule].flags.contains(.inhibited)
        setInhibited(rule, rules, clock: step.clock)
        let isInhibited = alerts[rule].flags.contains(.inhibited)
        guard isInhibited != wasInhibited, alerts[rule].isActive else { return }
        let time = time ?? eventTime(of: rule, rules, clock: step.clock)
        emit(isInhibited ? .inhibited : .uninhibited, rule, rules, at: time, .inhibition, &step)
        schedule(rule, rules, &step)
    }

    private mutating func setInhibited(_ rule: Int, _ rules: RuleSet, clock: Int64) {
        let isInhibited = rules.rules[rule].inhibitors.contains { keepsQuiet($0, rule, rules, clock: clock) }
        if isInhibited { alerts[rule].flags.insert(.inhibited) } else { alerts[rule].flags.remove(.inhibited) }
    }

    /// Tells whether an alert keeps another quiet: only one that is at least as bad does.
    ///
    /// One about the same vital sign says the same. One about others says it of what begins while its own limit is exceeded and nobody has answered it;
    /// what begins after that is news. What is known no more keeps nothing quiet but what it did before of the same vital sign.
    private func keepsQuiet(_ other: Int, _ rule: Int, _ rules: RuleSet, clock: Int64) -> Bool {
        let (alert, own) = (alerts[other], alerts[rule])
        guard alert.isActive, !alert.flags.contains(.recovered), !own.isActive || alert.severity >= own.severity else { return false }
        let isKept = own.phase != .none && own.flags.contains(.inhibited)
        let isOfSame = !rules.subjects[other].isDisjoint(with: rules.subjects[rule])
        if alert.flags.contains(.dataLost) { return isOfSame && isKept }
        guard !isOfSame, !isKept else { return true }
        guard !alert.isAcknowledged, !alert.isSilenced else { return false }
        return exceededSeverity(of: other, rules, clock: clock) >= (own.isActive ? own.severity : .notice)
    }

    /// The worst severity of a rule that fires and whose limit is exceeded now, not only within its dead band.
    private func exceededSeverity(of rule: Int, _ rules: RuleSet, clock: Int64) -> Severity {
        let present = rules.rules[rule].isMixed ? eventTime(of: rule, rules, clock: clock) : nil
        let index = rules.rules[rule].levelRange.last {
            levels[$0].isFiring && truth(ofLevel: $0, rules, clock, present: present, isStrict: true) == .yes
        }
        return index.map { rules.levels[$0].severity } ?? .none
    }

    /// Tells what an alert keeps quiet how it stands now.
    private mutating func tellInhibited(by rule: Int, _ rules: RuleSet, at time: Int64, _ step: inout EngineStep) {
        for target in rules.inhibited[rule] { tellInhibition(of: target, rules, at: time, &step) }
    }

    /// Notes an event; its number is the alert's next.
    mutating func emit(
        _ transition: AlertEvent.Transition, _ rule: Int, _ rules: RuleSet, at time: Int64, _ cause: AlertEvent.Cause,
        by actor: String? = nil, reason: String? = nil, escalatedTo: String? = nil, _ step: inout EngineStep
    ) {
        alerts[rule].sequence = (alerts[rule].sequence == 0 ? step.sequenceFloor : alerts[rule].sequence) + 1
        let snapshot = snapshot(of: rule, rules, clock: step.clock)
        step.events.append(
            AlertEvent(
                participant: step.participant, rule: rule, sequence: alerts[rule].sequence, transition: transition, cause: cause,
                time: time, alert: snapshot, actor: actor, reason: reason, escalatedTo: escalatedTo))
    }
}
