extension ParticipantState {
    /// Runs every timer that is due and books the next.
    mutating func runTimers(_ rules: RuleSet, _ step: inout EngineStep) {
        booked = .max
        for rule in rules.rules.indices where !alerts[rule].flags.contains(.excluded) {
            evaluate(rule, rules, time: nil, &step)
            endSilence(rule, rules, &step)
            escalate(rule, rules, &step)
            book(rule, rules, &step)
        }
    }

    private mutating func endSilence(_ rule: Int, _ rules: RuleSet, _ step: inout EngineStep) {
        guard alerts[rule].silencedUntil > 0, (notes[rule]?.silenceEnd ?? 0) <= step.clock else { return }
        let end = alerts[rule].silencedUntil
        alerts[rule].silencedUntil = 0
        alerts[rule].silence = .none
        notes[rule]?.silencedBy = nil
        notes[rule]?.silenceReason = nil
        emit(.silenceEnded, rule, rules, at: end, .timer, &step)
    }

    private mutating func escalate(_ rule: Int, _ rules: RuleSet, _ step: inout EngineStep) {
        let steps = rules.rules[rule].escalations
        while canEscalate(rule), Int(alerts[rule].stage) < steps.count {
            let next = steps[Int(alerts[rule].stage)]
            guard alerts[rule].alarmedClock + next.after <= step.clock else { return }
            alerts[rule].stage += 1
            let time = eventTime(of: rule, rules, clock: step.clock)
            emit(.escalated, rule, rules, at: time, .timer, escalatedTo: next.to, &step)
        }
    }

    /// Takes a time in which nobody looked out of every sensor's silence.
    mutating func forgiveSilence(_ unseen: Int64, _ rules: RuleSet) {
        for place in leaves.indices where rules.leaves[place].isSilent && leaves[place].isSeen {
            leaves[place].unseen = UInt32(clamping: Int64(leaves[place].unseen) + unseen / 1000)
        }
    }
}
