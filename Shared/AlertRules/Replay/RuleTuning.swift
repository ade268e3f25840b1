import VigilSchema

/// What other limits and delays of one rule would have done with a person's recorded values.
///
/// Each candidate is played as a whole. The earlier two thirds of the time choose, the last third only judges, so that the proposal's figures
/// come from values that did not choose it.
package struct RuleTuning: Sendable {
    /// What a person is to the rules, where it decides their limits.
    package struct Person: Sendable {
        package let participant: String
        /// Years at the middle of the time; nil where it is not known.
        package var age: Double?
        /// The command that tells the engine of the profile; nil where nothing is known.
        package var profile: CommandMessage.Profile?

        package init(participant: String, age: Double? = nil, profile: CommandMessage.Profile? = nil) {
            (self.participant, self.age, self.profile) = (participant, age, profile)
        }

        func limit(_ threshold: Threshold) -> Double { threshold.limit(age: age, usesScale2: profile?.saturationScale == 2) }
    }

    /// One part of the time, played with one candidate.
    package struct Outcome: Hashable, Sendable {
        /// The alarms that somebody would have heard.
        package var alarms = 0
        /// Stretches of two minutes and more beyond the limit of the worst level as it stands.
        package var crossings = 0
        /// Those of them during which the alert was not active.
        package var missed = 0
        /// Seconds from a crossing's beginning to the alarm, by crossing that was told.
        package var delays: [Double] = []
        package var days = 0.0

        package var alarmsPerDay: Double { days > 0 ? Double(alarms) / days : 0 }
        package var medianDelay: Double? { delays.isEmpty ? nil : delays.sorted()[delays.count / 2] }
    }

    /// The rule with its limits eased by some steps (negative: tightened) and its delays lengthened.
    package struct Candidate: Hashable, Sendable {
        package let steps: Int
        /// Seconds that every level waits longer.
        package let delay: Int64
        /// The limit of each level, the mildest first.
        package let limits: [Double]
        package fileprivate(set) var early = Outcome()
        package fileprivate(set) var late = Outcome()

        /// The rule as it stands.
        package var isPresent: Bool { steps == 0 && delay == 0 }
    }

    static let steps = -1...4
    static let delays: [Int64] = [0, 30, 120]
    private static let second: Int64 = 1_000_000

    package private(set) var candidates: [Candidate] = []
    package let severities: [Severity]

    /// - Parameter readings: the person's, of the metrics that the rule reads.
    /// - Throws: `CommandRefusal` where the rule has no limit that can be shifted.
    package init(_ id: String, in rules: RuleSet, of person: Person, _ readings: [ReplayReading]) throws(CommandRefusal) {
        guard let rule = rules.rule(named: id) else { throw CommandRefusal(rules.unknownRule(id).description) }
        guard let worst = rules.tunableLeaves(of: rule)?.last else {
            throw CommandRefusal("\(id) has a level that is more than the newest value beyond a fixed limit: there is nothing to shift")
        }
        severities = rules.rules[rule].levels.map(\.severity)
        guard let first = readings.map(\.time).min(), let last = readings.map(\.time).max() else { return }
        let cut = first + (last - first) / 3 * 2
        let values = readings.filter { $0.metric == rules.metrics[worst.metric] }.sorted { $0.time < $1.time }
        let crossings = AlarmBurden.crossings(of: worst, values, limit: person.limit)
        for steps in Self.steps {
            for delay in Self.delays {
                let eased = rules.eased(rule, steps: steps, delay: delay * Self.second)
                let limits = (eased.tunableLeaves(of: rule) ?? []).compactMap { $0.comparison.thresholds.first.map(person.limit) }
                var candidate = Candidate(steps: steps, delay: delay, limits: limits)
                let events = try Self.events(of: id, eased, person, readings, first)
                candidate.early = Self.outcome(events, crossings, from: first, to: cut)
                candidate.late = Self.outcome(events, crossings, from: cut, to: last + 1)
                candidates.append(candidate)
            }
        }
    }

    /// The rule as it stands.
    package var present: Candidate? { candidates.first(where: \.isPresent) }

    /// The candidate with the fewest alarms that misses no more crossings than the rule as it stands, both in the earlier part; of several the
    /// one that changes least. Nil where no crossing happened: the values cannot show what an eased limit would miss.
    package var proposal: Candidate? {
        guard let present, present.early.crossings > 0 else { return nil }
        return candidates.filter { $0.early.missed <= present.early.missed }.min {
            ($0.early.alarms, abs($0.steps), $0.delay) < ($1.early.alarms, abs($1.steps), $1.delay)
        }
    }

    private static func events(
        of id: String, _ rules: RuleSet, _ person: Person, _ readings: [ReplayReading], _ start: Int64
    ) throws(CommandRefusal) -> [AlertMessage] {
        var commands: [RecordedCommand] = []
        if let profile = person.profile {
            var message = CommandMessage(command: "set-profile", actor: "tune", reason: nil)
            message.profile = profile
            commands = [RecordedCommand(participant: person.participant, rule: "all", time: start, message: message)]
        }
        return try RuleReplay.run(rules: rules, readings: readings, commands: commands).events.filter { $0.rule == id }
    }

    private static func outcome(_ events: [AlertMessage], _ crossings: [Range<Int64>], from start: Int64, to end: Int64) -> Outcome {
        let raised = events.filter { $0.transition == "raised" && $0.isAudible }.map { Timestamp(seconds: $0.time).microseconds }
        let active = AlarmBurden.active(events)
        var outcome = Outcome(days: Double(end - start) / 8.64e10)
        outcome.alarms = raised.count { $0 >= start && $0 < end }
        for crossing in crossings where crossing.lowerBound >= start && crossing.lowerBound < end {
            outcome.crossings += 1
            guard let alert = active.first(where: { $0.overlaps(crossing) }) else {
                outcome.missed += 1
                continue
            }
            outcome.delays.append(Double(max(0, alert.lowerBound - crossing.lowerBound)) / 1e6)
        }
        return outcome
    }
}

extension RuleSet {
    /// The leaf of each level of a rule, the mildest first; nil where a level is more than the newest value beyond one fixed limit.
    fileprivate func tunableLeaves(of rule: Int) -> [Leaf]? {
        let found = levels[rules[rule].levelRange].compactMap { level -> Leaf? in
            guard case .leaf(let index) = level.condition, leaves[index].quantity == .value else { return nil }
            switch leaves[index].comparison {
            case .above(let threshold, _), .below(let threshold, _): return threshold.percentile == nil ? leaves[index] : nil
            default: return nil
            }
        }
        return found.count == rules[rule].levels.count && !found.isEmpty ? found : nil
    }

    /// The names of the metrics that decide about a rule's alert: those that it compares and those of their quality.
    package func inputs(of rule: Int) -> Set<String> {
        let leaves = leaves[rules[rule].leafRange]
        return Set(leaves.flatMap { metrics(of: $0) } + leaves.compactMap { $0.quality.map { qualities[$0.index] } }).reduce(into: []) {
            $0.insert(metrics[$1])
        }
    }

    /// The same rules, one with limits further out by steps of half its dead band (of 2 % of the limit where it has none) and longer delays.
    /// - Parameter delay: microseconds.
    fileprivate func eased(_ rule: Int, steps: Int, delay: Int64) -> RuleSet {
        var eased = self
        for index in rules[rule].levelRange {
            let level = levels[index]
            eased.levels[index] = RuleLevel(
                severity: level.severity, priority: level.priority, condition: level.condition, delay: level.delay + delay,
                share: level.share, isShareGiven: level.isShareGiven, keepFiring: level.keepFiring, repetition: level.repetition,
                acknowledgement: level.acknowledgement)
            guard case .leaf(let index) = level.condition else { continue }
            eased.leaves[index] = leaves[index].eased(by: steps)
        }
        eased.plan()
        return eased
    }
}

extension Leaf {
    fileprivate func eased(by steps: Int) -> Leaf {
        let shifted: Comparison
        switch comparison {
        case .above(let threshold, let orEqual): shifted = .above(threshold.shifted(by: Double(steps) * step(threshold)), orEqual: orEqual)
        case .below(let threshold, let orEqual): shifted = .below(threshold.shifted(by: -Double(steps) * step(threshold)), orEqual: orEqual)
        default: return self
        }
        return Leaf(
            metric: metric, quantity: quantity, comparison: shifted, slack: slack, staleAfter: staleAfter, quality: quality, memory: memory,
            isEvent: isEvent)
    }

    private func step(_ threshold: Threshold) -> Double { slack > 0 ? slack / 2 : abs(threshold.standard) * 0.02 }
}

extension Threshold {
    fileprivate func shifted(by distance: Double) -> Threshold {
        Threshold(
            slot: slot, standard: standard + distance, byAge: byAge.mapValues { $0 + distance },
            underAge: underAge.map { UnderAge(years: $0.years, limit: $0.limit + distance) }, scale2: scale2.map { $0 + distance })
    }
}
