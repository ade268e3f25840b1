extension ParticipantState {
    /// Steps a rule's levels and, from them, its alert.
    /// - Parameter time: the reading's time; nil when something else is the reason.
    mutating func evaluate(
        _ rule: Int, _ rules: RuleSet, time: Int64?, cause: AlertEvent.Cause? = nil, _ step: inout EngineStep
    ) {
        let lateness = rules.rules[rule].lateness
        let moment = LevelState.StepContext(time: time, clock: step.clock, lateness: lateness)
        // What is compared with other metrics counts as of the newest of them.
        let isMixed = rules.rules[rule].isMixed
        let present = isMixed || time == nil ? eventTime(of: rule, rules, clock: step.clock) : 0
        let eventTime = time ?? present
        let half = halfReading(rule, rules)
        // After long, what is in the dead band of a former episode, or half of a reading, does not hold.
        let isAnew = alerts[rule].isLongLost(at: step.clock)
        var (outcome, told) = (Outcome(), eventTime)
        for index in rules.rules[rule].levelRange {
            let truth = truth(ofLevel: index, rules, step.clock, present: isMixed ? present : nil, from: half ?? .min, isStrict: isAnew)
            guard half == nil || truth == .yes else {
                // Half of a reading says nothing until the other half is there; it is lost once all that is there of it is too old.
                let isUnknown = isAnew || isForgotten(rule, rules, step.clock, present)
                outcome.add(levels[index], isUnknown ? .unknown : .yes, rules.levelPlans[index].severity)
                continue
            }
            let phase = levels[index].phase
            let level = rules.levelPlans[index]
            let isRepeated =
                !level.isRepeated || time == nil
                || isRepeated(index, rule, rules, eventTime, step.clock, present: isMixed ? present : nil, half)
            let beginning =
                time == nil
                ? eventTime : max(eventTime, beginning(ofLevel: index, rule, rules, after: eventTime, step.clock, present: present))
            let mayBegin = phase == .idle && truth == .yes && isRepeated && mayBegin(index, rule, rules, beginning, isReading: time != nil)
            let isExpecting = phase == .pending && truth == .unknown && isExpecting(rules.levels[index].condition, step.clock)
            if isAnew, levels[index].isFiring, truth != .unknown {
                levels[index].restart(truth == .yes, beginning, moment)
            } else {
                levels[index].step(
                    truth, at: moment, eventTime: beginning, level: level, mayBegin: mayBegin, isExpecting: isExpecting,
                    expected: phase == .pending || phase == .keeping ? expectedReadings(level, rules) : 0)
            }
            outcome.add(levels[index], truth, level.severity)
            if levels[index].phase != phase { told = max(told, beginning) }
        }
        update(rule, rules, outcome, at: told, cause: cause ?? (time == nil ? .timer : .reading), &step)
        schedule(rule, rules, &step)
    }

    /// Lets levels that fire and of which nothing is known begin anew: what was measured last is not the present.
    /// - Returns: true where none fires any more.
    mutating func forgetUnknown(_ rule: Int, _ rules: RuleSet, clock: Int64) -> Bool {
        let present = eventTime(of: rule, rules, clock: clock)
        let half = halfReading(rule, rules)
        let moment = LevelState.StepContext(time: nil, clock: clock, lateness: rules.rules[rule].lateness)
        for index in rules.rules[rule].levelRange where levels[index].isFiring {
            let truth = truth(ofLevel: index, rules, clock, present: rules.rules[rule].isMixed ? present : nil, from: half ?? .min)
            let isUnknown = half == nil ? truth == .unknown : truth != .yes && isForgotten(rule, rules, clock, present)
            if isUnknown { levels[index].restart(false, present, moment) }
        }
        return !rules.rules[rule].levelRange.contains { levels[$0].isFiring }
    }

    /// The joint outcome of a rule's levels.
    struct Outcome {
        var severity = Severity.none
        var isPending = false
        var isDataLost = false
        var pendingSince: Int64 = 0
        /// The beginning of the first of the conditions that fire.
        var firingSince: Int64?

        mutating func add(_ level: LevelState, _ truth: Truth, _ severity: Severity) {
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

    /// The truth of a level's condition: within its dead band where it fires, strictly before.
    /// - Parameters:
    ///   - from: what was measured before belongs to another reading and is not known.
    ///   - isStrict: without the dead bands, also where it fires.
    func truth(
        ofLevel index: Int, _ rules: RuleSet, _ clock: Int64, present: Int64?, from: Int64 = .min, isStrict: Bool = false
    ) -> Truth {
        let isStrict = isStrict || !levels[index].isFiring
        let only = rules.levelPlans[index].leaf
        if only >= 0 {
            guard leaves[only].time >= from else { return .unknown }
            return truth(ofLeaf: only, rules.plans[only], clock: clock, present: present, isStrict: isStrict)
        }
        return rules.levels[index].condition.truth(isStrict: isStrict) { leaf, isStrict in
            guard leaves[leaf].time >= from else { return .unknown }
            return truth(ofLeaf: leaf, rules.plans[leaf], clock: clock, present: present, isStrict: isStrict)
        } alert: {
            truth(ofReference: $0, rules)
        }
    }

    /// Returns the time from which on a condition on several metrics is what it is: of what comes late, others may have been told only since.
    private func beginning(ofLevel index: Int, _ rule: Int, _ rules: RuleSet, after time: Int64, _ clock: Int64, present: Int64) -> Int64 {
        // Mostly nothing is newer than the reading.
        guard rules.rules[rule].isMixed, rules.rules[rule].pairing == nil,
            rules.rules[rule].leafRange.contains(where: { leaves[$0].isSeen && leaves[$0].time > time })
        else { return time }
        return rules.levels[index].condition.beginning(isStrict: !levels[index].isFiring) { leaf, isStrict in
            let isTimed = rules.plans[leaf].silence == nil
            return (
                truth(ofLeaf: leaf, rules.plans[leaf], clock: clock, present: present, isStrict: isStrict),
                isTimed ? leaves[leaf].time : .min
            )
        } alert: {
            truth(ofReference: $0, rules)
        }.time
    }

    private func truth(ofReference index: Int, _ rules: RuleSet) -> Truth {
        let reference = rules.references[index]
        let alert = alerts[reference.rule]
        return alert.isActive && alert.severity >= reference.minimum && !alert.flags.contains(.recovered) ? .yes : .no
    }

    /// - Parameter present: the event time that it is now for the rule, where it compares several metrics.
    func truth(ofLeaf index: Int, _ leaf: LeafPlan, clock: Int64, present: Int64? = nil, isStrict: Bool = false) -> Truth {
        let state = leaves[index]
        guard state.isSeen else { return .unknown }
        if let silence = leaf.silence {
            guard let due = silent(index, leaf, silence, clock: clock) else { return .no }
            return clock >= due ? .yes : .no
        }
        guard clock - state.arrival <= leaf.staleAfter, (present ?? state.time) - state.time <= leaf.staleAfter else {
            return leaf.isEvent ? .no : .unknown
        }
        return (isStrict ? state.isExceeded : state.isSatisfied) ? .yes : .no
    }

    /// Tells whether a condition held when it was seen last, and the next reading is not yet due by the series' habit.
    private func isExpecting(_ condition: Condition, _ clock: Int64) -> Bool {
        guard case .leaf(let index) = condition else { return false }
        let state = leaves[index]
        return state.isSeen && state.isExceeded && clock - state.arrival <= state.usualSilence
    }

    /// The number of readings that usually come within a level's delay, of which a share must exceed the limit; 0: not known.
    private func expectedReadings(_ level: LevelPlan, _ rules: RuleSet) -> Int64 {
        let index = level.leaf
        guard level.share < 1, index >= 0, leaves[index].gaps >= LeafState.gapsToLearn else { return 0 }
        return level.delay / max(1000, Int64(leaves[index].interval) * 1000)
    }

    /// The time from which on numbers belong to a rule's newest reading, where others of it are missing; nil where it is whole.
    private func halfReading(_ rule: Int, _ rules: RuleSet) -> Int64? {
        guard let pairing = rules.rules[rule].pairing else { return nil }
        var (oldest, newest, isSeen) = (Int64.max, Int64.min, true)
        for index in rules.rules[rule].leafRange {
            guard leaves[index].isSeen else {
                isSeen = false
                continue
            }
            oldest = min(oldest, leaves[index].time)
            newest = max(newest, leaves[index].time)
        }
        guard newest != .min, !isSeen || newest - oldest > pairing else { return nil }
        return newest - pairing
    }

    /// Tells whether everything that a rule compares is too old.
    private func isForgotten(_ rule: Int, _ rules: RuleSet, _ clock: Int64, _ present: Int64) -> Bool {
        rules.rules[rule].leafRange.allSatisfy {
            truth(ofLeaf: $0, rules.plans[$0], clock: clock, present: rules.rules[rule].isMixed ? present : nil) == .unknown
        }
    }

    /// The event time that corresponds to the clock for the rule's newest reading.
    func eventTime(of rule: Int, _ rules: RuleSet, clock: Int64) -> Int64 {
        var newest = Int64.min
        for index in rules.rules[rule].leafRange where leaves[index].isSeen {
            newest = max(newest, leaves[index].time + (clock - leaves[index].arrival))
        }
        return newest == .min ? clock : newest
    }

    private func mayBegin(_ index: Int, _ rule: Int, _ rules: RuleSet, _ time: Int64, isReading: Bool) -> Bool {
        guard isReading || rules.levels[index].repetition == nil else { return false }
        return rules.rules[rule].schedule?.contains(time) ?? true
    }

    /// Notes a reading where it must be repeated, in whatever phase the level is; tells whether there were enough.
    private mutating func isRepeated(
        _ index: Int, _ rule: Int, _ rules: RuleSet, _ time: Int64, _ clock: Int64, present: Int64?, _ half: Int64?
    ) -> Bool {
        guard let repetition = rules.levels[index].repetition else { return true }
        let truth = truth(ofLevel: index, rules, clock, present: present, from: half ?? .min, isStrict: true)
        let within = max(repetition.within, Int64(repetition.intervals) * usualInterval(of: rule, rules))
        return repeats(repetition, truth, at: time, asOne: rules.rules[rule].pairing ?? 0, within: within)
    }

    /// The longest of the usual intervals of a rule's series, in microseconds; 0 before they are known.
    private func usualInterval(of rule: Int, _ rules: RuleSet) -> Int64 {
        rules.rules[rule].leafRange.reduce(0) { longest, index in
            let leaf = leaves[index]
            return leaf.isSeen && leaf.gaps >= LeafState.gapsToLearn ? max(longest, Int64(leaf.interval) * 1000) : longest
        }
    }

    /// Notes a reading for a repetition; tells whether there were enough.
    ///
    /// The ring holds the times of the newest readings first; where the ones that do not satisfy the condition are counted too, theirs are negative.
    /// What is corrected, as by another value of the same time, counts no more.
    /// - Parameters:
    ///   - pairing: numbers measured within this are one reading.
    ///   - within: the time within which there must be enough.
    private mutating func repeats(
        _ repetition: RuleLevel.Repetition, _ truth: Truth, at time: Int64, asOne pairing: Int64, within: Int64
    ) -> Bool {
        let ring = repetition.ring..<(repetition.ring + repetition.size)
        let isCounted = truth == .yes || (repetition.of != nil && truth == .no)
        let apart = max(pairing, repetition.apart - 1)
        if isCounted, let same = ring.first(where: { rings[$0] != 0 && abs(time - abs(rings[$0])) <= apart }) {
            // One reading of several numbers, or too soon after or before another: counts once.
            if truth == .yes { rings[same] = abs(rings[same]) } else if rings[same] == time { rings[same] = -time }
        } else if truth == .no, let corrected = ring.first(where: { rings[$0] == time }) {
            for index in corrected..<ring.upperBound - 1 { rings[index] = rings[index + 1] }
            rings[ring.upperBound - 1] = 0
        } else if isCounted {
            for index in ring.dropFirst().reversed() { rings[index] = rings[index - 1] }
            rings[ring.lowerBound] = truth == .yes ? time : -time
        }
        return rings[ring].count { $0 > 0 && time - $0 <= within } >= repetition.count
    }

    /// Books the next moment at which a timer of the rule must run.
    mutating func schedule(_ rule: Int, _ rules: RuleSet, _ step: inout EngineStep) {
        let next = deadline(of: rule, rules, clock: step.clock)
        if next < booked { booked = next }
    }

    /// The earliest moment, on the engine's clock, at which the rule must be looked at without a reading.
    func deadline(of rule: Int, _ rules: RuleSet, clock: Int64) -> Int64 {
        var next = Int64.max
        let lateness = rules.rules[rule].lateness
        var isAlive = false
        for index in rules.rules[rule].levelRange {
            // One that has passed was looked at already; only a reading can decide it now.
            if let deadline = levels[index].deadline(rules.levelPlans[index], lateness: lateness), deadline > clock {
                next = min(next, deadline)
            }
            isAlive = isAlive || levels[index].phase != .idle
        }
        let present = rules.rules[rule].isMixed && isAlive ? eventTime(of: rule, rules, clock: clock) : nil
        for index in rules.rules[rule].leafRange where leaves[index].isSeen {
            let leaf = rules.plans[index]
            if let silence = leaf.silence {
                next = min(next, silenceDeadline(index, leaf, silence, clock: clock))
            } else if isAlive {
                next = min(next, staleness(of: index, leaf, clock: clock, present: present))
            }
        }
        if rules.isScheduled[rule], let schedule = rules.rules[rule].schedule {
            next = min(next, opening(rule, schedule, rules, clock: clock))
        }
        return min(next, alertDeadline(rule, rules, clock: clock))
    }

    /// Returns the time from which nothing is known of a leaf any more, or nothing more is expected of it.
    private func staleness(of index: Int, _ leaf: LeafPlan, clock: Int64, present: Int64?) -> Int64 {
        let state = leaves[index]
        let age = max(clock - state.arrival, (present ?? state.time) - state.time)
        let due = clock + leaf.staleAfter + 1 - age
        if due > clock { return due }
        let expected = state.arrival + state.usualSilence + 1
        return expected > clock ? expected : .max
    }

    /// Returns the time from which the rule may begin what holds already.
    private func opening(_ rule: Int, _ schedule: Schedule, _ rules: RuleSet, clock: Int64) -> Int64 {
        let time = eventTime(of: rule, rules, clock: clock)
        let isWaiting = rules.rules[rule].levelRange.contains { levels[$0].phase == .idle && rules.levels[$0].repetition == nil }
        guard isWaiting, !schedule.contains(time), rules.rules[rule].leafRange.contains(where: { leaves[$0].isSeen }) else { return .max }
        return schedule.nextOpening(after: time).map { clock + ($0 - time) } ?? .max
    }

    private func alertDeadline(_ rule: Int, _ rules: RuleSet, clock: Int64) -> Int64 {
        let alert = alerts[rule]
        var next = Int64.max
        if alert.silencedUntil > 0 { next = max(clock + 1, notes[rule]?.silenceEnd ?? 0) }
        if let end = acknowledgementEnd(rule) { next = min(next, max(clock + 1, end)) }
        if alert.rearm != .none, let note = notes[rule], note.clearEnd > 0 { next = min(next, max(clock + 1, note.clearEnd)) }
        if canEscalate(rule), Int(alert.stage) < rules.rules[rule].escalations.count {
            next = min(next, max(clock + 1, alert.alarmedClock + rules.rules[rule].escalations[Int(alert.stage)].after))
        }
        return next
    }

    /// Only what somebody should have heard and has not answered escalates.
    func canEscalate(_ rule: Int) -> Bool {
        let alert = alerts[rule]
        return alert.isActive && !alert.isAcknowledged && !alert.isSilenced && !alert.flags.contains(.inhibited)
    }
}
