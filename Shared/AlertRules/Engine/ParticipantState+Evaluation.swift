extension ParticipantState {
    /// Steps a rule's levels and, from them, its alert.
    /// - Parameter time: the reading's time; nil when a timer is the reason.
    mutating func evaluate(_ rule: Int, _ rules: RuleSet, time: Int64?, _ step: inout EngineStep) {
        let range = rules.rules[rule].levelRange
        let moment = LevelState.Moment(time: time, clock: step.clock, lateness: rules.rules[rule].lateness)
        let eventTime = time ?? eventTime(of: rule, rules, clock: step.clock)
        var outcome = Outcome()
        for place in range {
            let truth = truth(of: rules.levels[place].condition, rules, clock: step.clock)
            let isBeginning = levels[place].phase == .idle && truth == .yes
            let mayBegin = isBeginning && self.mayBegin(place, rule, rules, eventTime, isReading: time != nil)
            levels[place].step(truth, at: moment, eventTime: eventTime, level: rules.levels[place], mayBegin: mayBegin)
            outcome.add(levels[place], truth, rules.levels[place].severity, place)
        }
        update(rule, rules, outcome, at: eventTime, cause: time == nil ? .timer : .reading, &step)
        book(rule, rules, &step)
    }

    /// What a rule's levels say together.
    struct Outcome {
        var severity = Severity.none
        var isPending = false
        var isDataLost = false
        var pendingSince: Int64 = 0
        /// When the first of the conditions that fire began.
        var firingSince: Int64?

        mutating func add(_ level: LevelState, _ truth: Truth, _ severity: Severity, _ place: Int) {
            if level.isFiring {
                self.severity = max(self.severity, severity)
                firingSince = min(firingSince ?? level.since, level.since)
                if truth == .unknown { isDataLost = true }
            } else if level.phase == .pending {
                if !isPending { pendingSince = level.since }
                isPending = true
            }
        }
    }

    /// What is known of a condition now.
    func truth(of condition: Condition, _ rules: RuleSet, clock: Int64) -> Truth {
        if case .leaf(let place) = condition { return truth(ofLeaf: place, rules.leaves[place], clock: clock) }
        return condition.truth { truth(ofLeaf: $0, rules.leaves[$0], clock: clock) }
    }

    func truth(ofLeaf place: Int, _ leaf: Leaf, clock: Int64) -> Truth {
        let state = leaves[place]
        guard state.isSeen else { return .unknown }
        if case .silent(let after) = leaf.comparison { return clock >= state.silence(for: after) ? .yes : .no }
        guard clock - state.arrival <= leaf.staleAfter else { return .unknown }
        return state.isSatisfied ? .yes : .no
    }

    /// The event time that corresponds to the clock for the rule's newest reading.
    func eventTime(of rule: Int, _ rules: RuleSet, clock: Int64) -> Int64 {
        var newest = Int64.min
        for place in rules.rules[rule].leafRange where leaves[place].isSeen {
            newest = max(newest, leaves[place].time + (clock - leaves[place].arrival))
        }
        return newest == .min ? clock : newest
    }

    private mutating func mayBegin(_ place: Int, _ rule: Int, _ rules: RuleSet, _ time: Int64, isReading: Bool) -> Bool {
        if let schedule = rules.rules[rule].schedule, !schedule.contains(time) { return false }
        // A timer begins nothing but what is about silence: everything else begins with a reading.
        if !isReading, !rules.levels[place].condition.leaves.contains(where: { rules.leaves[$0].isSilent }) { return false }
        guard let repetition = rules.levels[place].repetition else { return true }
        guard isReading else { return false }
        // The ring holds the last times that satisfied the condition, newest first.
        let ring = repetition.ring..<(repetition.ring + repetition.count)
        for index in ring.dropFirst().reversed() { rings[index] = rings[index - 1] }
        rings[ring.lowerBound] = time
        let oldest = rings[ring.upperBound - 1]
        return oldest != 0 && time - oldest <= repetition.within
    }

    /// Books the next moment at which a timer of the rule must run.
    mutating func book(_ rule: Int, _ rules: RuleSet, _ step: inout EngineStep) {
        let next = deadline(of: rule, rules, clock: step.clock)
        if next < booked { booked = next }
    }

    /// The earliest moment, on the engine's clock, at which the rule must be looked at without a reading.
    func deadline(of rule: Int, _ rules: RuleSet, clock: Int64) -> Int64 {
        var next = Int64.max
        let lateness = rules.rules[rule].lateness
        var isAlive = false
        for place in rules.rules[rule].levelRange {
            // One that has passed was looked at already; only a reading can decide it now.
            if let deadline = levels[place].deadline(rules.levels[place], lateness: lateness), deadline > clock {
                next = min(next, deadline)
            }
            isAlive = isAlive || levels[place].phase != .idle
        }
        for place in rules.rules[rule].leafRange where leaves[place].isSeen {
            let leaf = rules.leaves[place]
            if case .silent(let after) = leaf.comparison {
                let due = leaves[place].silence(for: after)
                if due > clock { next = min(next, due) }
            } else if isAlive {
                let due = leaves[place].arrival + leaf.staleAfter + 1
                if due > clock { next = min(next, due) }
            }
        }
        return min(next, alertDeadline(rule, rules, clock: clock))
    }

    private func alertDeadline(_ rule: Int, _ rules: RuleSet, clock: Int64) -> Int64 {
        let alert = alerts[rule]
        var next = Int64.max
        if alert.silencedUntil > 0 { next = max(clock + 1, notes[rule]?.silenceEnd ?? 0) }
        let steps = rules.rules[rule].escalations
        if canEscalate(rule), Int(alert.stage) < steps.count {
            next = min(next, max(clock + 1, alert.alarmedClock + steps[Int(alert.stage)].after))
        }
        return next
    }

    /// Only what somebody should have heard and has not answered escalates.
    func canEscalate(_ rule: Int) -> Bool {
        let alert = alerts[rule]
        return alert.isActive && !alert.isAcknowledged && !alert.isSilenced && !alert.flags.contains(.inhibited)
    }
}
