extension ParticipantState {
    /// Works out which rules are for this person and the numbers of the thresholds.
    /// - Parameter time: wall time, by which the person has an age.
    /// - Returns: the rules that were for this person until now.
    @discardableResult
    mutating func applyProfile(_ rules: RuleSet, name: String, at time: Int64) -> [Int] {
        let age = profile.age(at: time)
        // A person of unknown age counts as adult.
        let group = profile.ageGroup(at: time) ?? .adult
        var excluded: [Int] = []
        for (index, rule) in rules.rules.enumerated() {
            let isScored =
                (!rules.scoredRules.contains(index) || NEWS2.isFor(profile, at: time))
                && rules.additiveOfRule[index].map { rules.scores.additive[$0].isFor(profile, at: time) } ?? true
            if isScored, isFor(name, group, rule, at: time) {
                alerts[index].flags.remove(.excluded)
            } else if alerts[index].flags.insert(.excluded).inserted {
                excluded.append(index)
            }
        }
        limits = rules.thresholds.map { overrides[$0.slot] ?? $0.limit(age: age, usesScale2: profile.usesScale2) }
        if limits == rules.thresholds.map(\.standard), !rules.thresholds.contains(where: { $0.percentile != nil }) { limits = [] }
        for index in rules.histories.indices { refreshPercentiles(rules, history: index) }
        let birthday = age.flatMap { age in rules.ageBounds.first { age < $0 } }.flatMap(profile.time(ofAge:))
        profileUntil = min(birthday ?? .max, profile.maternalEnd.flatMap { time < $0 ? $0 : nil } ?? .max)
        return excluded
    }

    private func isFor(_ name: String, _ group: AgeGroup, _ rule: Rule, at time: Int64) -> Bool {
        let isNamed = rule.participants.isEmpty || rule.participants.contains(name)
        let isOfAge = rule.ages.isEmpty || rule.ages.contains(group)
        let isModule = name.hasPrefix("_")
        return isNamed && isOfAge && !(isModule && rule.kind == .medical) && rule.profiles.contains(profile, at: time)
    }

    /// Does what a birthday, or the end of the weeks after a birth, brings: other limits, and rules that begin or end to be for this person.
    mutating func growOlder(_ rules: RuleSet, name: String, _ step: inout EngineStep) {
        let before = alerts.map { $0.flags.contains(.excluded) }
        // A machine whose clock is behind makes nobody younger than the newest reading.
        let excluded = applyProfile(rules, name: name, at: max(step.now, newestTime ?? .min))
        takeNewest(rules, from: self, rules)
        compareAgain(rules)
        if before != alerts.map({ $0.flags.contains(.excluded) }) { uncovered = [] }
        for rule in excluded { exclude(rule, rules, at: eventTime(of: rule, rules, clock: step.clock), .timer, &step) }
    }

    /// Books the next birthday, or end of the weeks after a birth, that changes anything. It is looked for every day, as the wall clock may be set, and not at once where it is behind.
    mutating func scheduleBirthday(_ step: EngineStep) {
        guard profileUntil != .max else { return }
        booked = min(booked, step.clock + min(max(1_000_000, profileUntil - step.now), 86_400_000_000))
    }

    /// Ends what began while a rule was for this person and now is not, and tells what is kept quiet now, or no longer is: as after other rules.
    mutating func settle(_ rules: RuleSet, _ step: inout EngineStep) {
        for rule in alerts.indices where alerts[rule].flags.contains(.excluded) && alerts[rule].isUnderWay {
            exclude(rule, rules, at: eventTime(of: rule, rules, clock: step.clock), .rules, &step)
        }
        for rule in alerts.indices where alerts[rule].isActive || alerts[rule].flags.contains(.inhibited) {
            tellInhibition(of: rule, rules, at: nil, &step)
        }
    }

    /// Ends what a rule had begun that is no longer for this person.
    mutating func exclude(
        _ rule: Int, _ rules: RuleSet, at time: Int64, _ cause: AlertEvent.Cause, by actor: String? = nil, _ step: inout EngineStep
    ) {
        forget(rule, rules)
        withdraw(rule, rules, at: time, cause, by: actor, reason: "the rule is not for this person any more", &step)
    }

    /// Forgets what a rule compared.
    mutating func forget(_ rule: Int, _ rules: RuleSet) {
        for index in rules.rules[rule].levelRange { levels[index] = LevelState() }
        for index in rules.rules[rule].leafRange { leaves[index] = LeafState() }
    }

    /// Ends what is told of a rule's condition: its alert or delay, and the quiet after a clear by hand.
    mutating func withdraw(
        _ rule: Int, _ rules: RuleSet, at time: Int64, _ cause: AlertEvent.Cause, by actor: String? = nil, reason: String? = nil,
        _ step: inout EngineStep
    ) {
        if alerts[rule].isActive {
            clear(rule, rules, at: time, cause, by: actor, reason: reason, &step)
        } else if alerts[rule].phase == .pending {
            alerts[rule].phase = .none
            emit(.cancelled, rule, rules, at: time, cause, by: actor, &step)
        }
        if alerts[rule].rearm != .none { rearm(rule, rules, at: time, cause, &step) }
    }
}
