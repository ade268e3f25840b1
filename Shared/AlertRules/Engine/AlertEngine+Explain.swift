import VigilSchema

extension AlertEngine {
    /// An alert as others see it, with its newest value, and the event time at this moment.
    package func snapshot(participant: Int, rule: Int) -> (alert: AlertSnapshot, time: Int64) {
        let state = thawed(participant)
        return (state.snapshot(of: rule, rules, clock: clock), state.eventTime(of: rule, rules, clock: clock))
    }

    /// Explains why a rule's alert is as it is for a person, a line a fact, in English.
    package func explain(participant: Int, rule: Int) -> [String] {
        let state = thawed(participant)
        let definition = rules.rules[rule]
        let snapshot = state.snapshot(of: rule, rules, clock: clock)
        var lines = ["\(definition.id) for \(names[participant]): \(snapshot.phase.rawValue)"]
        if state.alerts[rule].flags.contains(.excluded) {
            lines.append("the rule is not for this participant (age, profile, or named participants)")
        }
        if let until = snapshot.clearedUntil {
            let left = DurationText.text(microseconds: max(0, until - lastNow) / 1_000_000 * 1_000_000)
            lines.append("ended by hand: what is not worse stays quiet for \(left) more, or until it has ended once")
        }
        if snapshot.phase == .active { lines += facts(of: snapshot, state.notes[rule]) }
        for index in definition.levelRange { lines += describe(level: index, rule, state) }
        return lines
    }

    /// The facts about a participant that rules and scores go by.
    package func facts(ofParticipant participant: Int) -> PersonFacts { thawed(participant).profile }

    /// The thresholds that were set for a participant, by the rule and level that they are of.
    package func ownThresholds(of participant: Int) -> [(rule: String, severity: Severity, value: Double)] {
        let own = thawed(participant).overrides
        guard !own.isEmpty else { return [] }
        return rules.rules.flatMap { rule in
            rule.levelRange.compactMap { level in
                guard case .leaf(let leaf) = rules.levels[level].condition, let slot = rules.leaves[leaf].comparison.thresholds.first?.slot,
                    let value = own[slot]
                else { return nil }
                return (rule.id, rules.levels[level].severity, value)
            }
        }
    }

    private func facts(of snapshot: AlertSnapshot, _ note: AlertNote?) -> [String] {
        var lines = ["severity \(snapshot.severity.name), priority \(snapshot.priority.rawValue)"]
        lines.append(snapshot.isAcknowledged ? "acknowledged by \(note?.acknowledgedBy ?? "somebody")" : "not acknowledged")
        if snapshot.isRecovered { lines.append("the condition has ended; latched until acknowledged") }
        if snapshot.isDataLost { lines.append("no usable data any more: kept, because silence never ends a medical alert") }
        if snapshot.isInhibited { lines.append("kept quiet by another rule's active alert") }
        if snapshot.isSilenced {
            lines.append("silenced by \(note?.silencedBy ?? "somebody")" + (note?.silenceReason.map { ": \($0)" } ?? ""))
        }
        return lines
    }

    private func describe(level index: Int, _ rule: Int, _ state: ParticipantState) -> [String] {
        let level = rules.levels[index]
        let present = rules.rules[rule].isMixed ? state.eventTime(of: rule, rules, clock: clock) : nil
        let truth = state.truth(ofLevel: index, rules, clock, present: present)
        var line = "level \(level.severity.name): \(state.levels[index].phase), condition \(truth)"
        if state.levels[index].phase == .pending {
            let left = max(0, level.delay - (clock - state.levels[index].sinceClock))
            line += ", fires in \(DurationText.text(microseconds: left / 1_000_000 * 1_000_000)) if it stays so"
        }
        let references = level.condition.references.map { index in
            let name = rules.references[index].name
            return "  alert \(name): \(state.alerts[rules.references[index].rule].isActive ? "active" : "not active")"
        }
        return [line] + level.condition.leaves.map { describe(leaf: $0, state) } + references
    }

    private func describe(leaf index: Int, _ state: ParticipantState) -> String {
        let (leaf, known) = (rules.leaves[index], state.leaves[index])
        let name = rules.metrics[leaf.metric]
        guard known.isSeen else { return "  \(name): no reading yet" }
        let age = DurationText.text(microseconds: max(0, clock - known.arrival) / 1_000_000 * 1_000_000)
        let truth = state.truth(ofLeaf: index, rules.plans[index], clock: clock)
        let limits = leaf.comparison.thresholds.map { AlertTexts.number(state.limit($0)) }.joined(separator: " and ")
        switch leaf.comparison {
        case .silent(let silence):
            let after = DurationText.text(microseconds: max(silence.after, known.usualSilence) / 1000 * 1000)
            let isMissed = known.silent(silence) != nil
            return "  \(name): last reading \(age) ago, "
                + (isMissed ? "alarm after \(after): \(truth)" : "not missed: it never ran for long")
        case .oneOf(let texts):
            let value =
                Int(exactly: known.value).flatMap { rules.vocabulary.indices.contains($0) ? rules.vocabulary[$0] : nil } ?? "another text"
            let wanted = texts.isEmpty ? "any text" : texts.map { rules.vocabulary[$0] }.joined(separator: ", ")
            return "  \(name): \"\(value)\" \(age) ago, compared with \(wanted): \(truth)"
        default: return "  \(name): \(AlertTexts.number(known.value)) \(age) ago, limit \(limits): \(truth)"
        }
    }
}

/// The values of a metric within which nobody is told.
package struct AlertLimits: Hashable, Sendable {
    package let metric: String
    package fileprivate(set) var low: Double?
    package fileprivate(set) var high: Double?
}

extension AlertEngine {
    /// A person's limits by metric: the innermost of all medical rules for the person that compare the metric by itself with a number.
    package func limits(participant: Int) -> [AlertLimits] {
        let state = thawed(participant)
        var limits: [Int: AlertLimits] = [:]
        for index in rules.rules.indices where rules.rules[index].kind == .medical && !state.alerts[index].flags.contains(.excluded) {
            for level in rules.rules[index].levelRange {
                guard case .leaf(let leaf) = rules.levels[level].condition, rules.leaves[leaf].quantity.isOfTheMetricsRange else {
                    continue
                }
                let metric = rules.leaves[leaf].metric
                var own = limits[metric] ?? AlertLimits(metric: rules.metrics[metric])
                switch rules.leaves[leaf].comparison {
                case .above(let high, _): own.high = min(own.high ?? .infinity, state.limit(high))
                case .below(let low, _): own.low = max(own.low ?? -.infinity, state.limit(low))
                case .outside(let low, let high):
                    own.low = max(own.low ?? -.infinity, state.limit(low))
                    own.high = min(own.high ?? .infinity, state.limit(high))
                case .inside, .oneOf, .silent: continue
                }
                limits[metric] = own
            }
        }
        return limits.values.sorted { $0.metric < $1.metric }
    }
}
