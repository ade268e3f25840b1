/// What one of several sources says of a metric of one person.
///
/// Somebody may wear two sensors that measure the same. The worse of what they say counts, as long as both are heard: a well-meaning watch must not talk a
/// finger clip's low saturation away between two of its readings. Nothing is kept where there is only one.
struct SourceState: Hashable, Sendable {
    /// The most that are told apart of one metric; the one not heard of for longest makes room.
    static let capacity = 4
    /// One that has not been heard of for so long is none any more, in microseconds.
    static let forgetting: Int64 = 86_400 * 1_000_000
    /// What is older when it comes is told of the past, in microseconds.
    static let oldest: Int64 = 900 * 1_000_000
    /// So long a source is waited for whose habit is not known, and at least, in microseconds.
    private static let unknown: Int64 = 60 * 1_000_000
    private static let least: Int64 = 10 * 1_000_000
    /// A gap of this length, or of three usual intervals, ends a run, in microseconds.
    private static let shortestGap: Int64 = 300 * 1_000_000

    var metric: Int
    let source: UInt32
    var value: Double
    /// The newest reading's time.
    var time: Int64
    /// The engine's clock when it came.
    var arrival: Int64
    /// The usual time between two of them, in milliseconds; 0: not known.
    var interval: UInt32 = 0
    /// The engine's clock when the source began to measure without a long gap.
    var runClock: Int64

    /// Tells whether its next reading is still to be expected.
    /// - Parameter staleAfter: after this nothing is known whatever its habit.
    func isHeard(at clock: Int64, staleAfter: Int64) -> Bool {
        let habit = interval == 0 ? Self.unknown : max(Self.least, Int64(interval) * 1000 * LeafState.usualIntervals)
        return clock - arrival <= min(habit, staleAfter)
    }

    mutating func take(_ reading: Reading, at clock: Int64) {
        let gap = reading.time - time
        if gap > max(Self.shortestGap, Int64(interval) * 1000 * LeafState.usualIntervals) { runClock = clock }
        if gap > 0 { interval = LeafState.interval(interval, isFirst: interval == 0, after: gap) }
        (value, time, arrival) = (reading.value, reading.time, clock)
    }
}

extension Reading {
    /// A source's number: the same on every machine. 0 stands for a source that is not known, which is never told from others.
    package static func source(named name: String) -> UInt32 {
        var hash: UInt32 = 2_166_136_261
        for byte in name.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return max(1, hash)
    }
}

extension ParticipantState {
    /// Notes what a source says where there are several of its metric.
    mutating func hear(_ reading: Reading, _ rules: RuleSet, _ clock: Int64) {
        guard reading.source != 0, reading.received - reading.time <= SourceState.oldest else { return }
        if !sourceStates.contains(where: { $0.metric == reading.metric }) {
            guard let first = rules.readers[reading.metric].first(where: { leaves[$0].isSeen && leaves[$0].source != 0 }),
                leaves[first].source != reading.source, !isPoor(reading, rules, clock)
            else { return }
            sourceStates.append(SourceState(former: leaves[first], metric: reading.metric))
        } else if isPoor(reading, rules, clock) {
            return
        }
        note(reading, clock)
    }

    private mutating func note(_ reading: Reading, _ clock: Int64) {
        sourceStates.removeAll { $0.metric == reading.metric && $0.source != reading.source && clock - $0.arrival > SourceState.forgetting }
        let own = sourceStates.indices.filter { sourceStates[$0].metric == reading.metric }
        if let index = own.first(where: { sourceStates[$0].source == reading.source }) {
            if own.count == 1 {
                sourceStates.remove(at: index)
            } else if reading.time >= sourceStates[index].time {
                sourceStates[index].take(reading, at: clock)
            }
            return
        }
        let oldest = own.min { sourceStates[$0].arrival < sourceStates[$1].arrival }
        if own.count == SourceState.capacity, let oldest { sourceStates.remove(at: oldest) }
        sourceStates.append(
            SourceState(
                metric: reading.metric, source: reading.source, value: reading.value, time: reading.time, arrival: clock, runClock: clock))
    }

    /// The other sources of a reading's metric that are heard.
    func others(than reading: Reading, staleAfter: Int64, _ clock: Int64) -> [SourceState] {
        guard !sourceStates.isEmpty, reading.source != 0 else { return [] }
        return sourceStates.filter {
            $0.metric == reading.metric && $0.source != reading.source && $0.isHeard(at: clock, staleAfter: staleAfter)
        }
    }

    /// Returns the time from which on a reading is judged by a comparison; nil where another source that is heard says worse.
    ///
    /// The clocks of two sources differ: what is the newest of its own is the present, not late, where it satisfies the comparison.
    func moment(of reading: Reading, leaf index: Int, _ rules: RuleSet, _ clock: Int64) -> Int64? {
        let isSame = leaves[index].source == reading.source && rules.leaves[index].quantity != .value
        guard leaves[index].isSeen, !isSame else { return reading.time }
        let staleAfter = rules.plans[index].staleAfter
        let others = others(than: reading, staleAfter: staleAfter, clock)
        guard !others.isEmpty, !rules.leaves[index].isSilent else { return reading.time }
        if rules.leaves[index].isWindow { return others.contains { $0.source == leaves[index].source } ? nil : reading.time }
        guard rules.leaves[index].quantity == .value else { return reading.time }
        let slack = leaves[index].isSatisfied ? rules.plans[index].slack : 0
        if !isSatisfied(index, by: reading.value, slack: slack, rules) {
            return others.contains { isSatisfied(index, by: $0.value, slack: slack, rules) } ? nil : reading.time
        }
        let isNewest = sourceStates.contains { $0.metric == reading.metric && $0.source == reading.source && $0.time <= reading.time }
        return isNewest && leaves[index].time - reading.time <= staleAfter ? max(reading.time, leaves[index].time) : reading.time
    }
}

extension ParticipantState {
    /// Returns a reading as scores take it; nil where another source that is heard says worse.
    func scored(_ reading: Reading, _ rules: RuleSet, _ clock: Int64) -> Reading? {
        let input = rules.scoreInput[reading.metric]
        guard !sourceStates.isEmpty, let scores, let points = points(reading.value, input, rules, at: reading.time) else { return reading }
        let others = others(than: reading, staleAfter: rules.scores.staleAfter, clock)
        guard !others.isEmpty else { return reading }
        if others.contains(where: { self.points($0.value, input, rules, at: reading.time) ?? 0 > points }) { return nil }
        var scored = reading
        if scores.measured[input] != .min { scored.time = min(max(reading.time, scores.times[input]), max(reading.time, reading.received)) }
        return scored
    }

    /// The points that a number gives in all scores that are for this person; nil where it is of none of them.
    private func points(_ value: Double, _ input: Int, _ rules: RuleSet, at time: Int64) -> Int? {
        let own = rules.scores.additive.filter { $0.isFor(profile, at: time) }.flatMap(\.inputs).filter {
            $0.slot == input && !$0.points.isText
        }
        let isNEWS2 = rules.scores.isNEWS2On && NEWS2.isFor(profile, at: time) || own.isEmpty
        let points = isNEWS2 ? NEWS2.Parameter(rawValue: input).flatMap { NEWS2.points($0, value) } : nil
        guard points != nil || !own.isEmpty else { return nil }
        let age = profile.age(at: time)
        return own.reduce(points ?? 0) { $0 + $1.points.points(of: value, age: age) }
    }
}

extension SourceState {
    /// The source that was alone until now, as a comparison knows it.
    fileprivate init(former leaf: LeafState, metric: Int) {
        self.init(
            metric: metric, source: leaf.source, value: leaf.value, time: leaf.time, arrival: leaf.arrival,
            interval: leaf.gaps == 0 ? 0 : leaf.interval, runClock: min(leaf.runClock, leaf.arrival))
    }
}

/// The silence of one of several sources.
extension ParticipantState {
    /// Returns the time from which a metric counts as silent, on the engine's clock; where sources are listened for, the first of theirs.
    func silent(_ index: Int, _ leaf: LeafPlan, _ silence: Comparison.Silence, clock: Int64) -> Int64? {
        let own = leaves[index].silent(silence)
        guard silence.isBySource, !sourceStates.isEmpty else { return own }
        let unseen = Int64(leaves[index].unseen) * 1000
        let first = sourceStates.compactMap { $0.metric == leaf.metric ? $0.silent(silence, at: clock) : nil }.min().map { $0 + unseen }
        return [own, first].compactMap(\.self).min()
    }

    /// Returns the next time at which a silence begins, or a source is silent for so long that it is none any more.
    func silenceDeadline(_ index: Int, _ leaf: LeafPlan, _ silence: Comparison.Silence, clock: Int64) -> Int64 {
        var next = Int64.max
        if let due = silent(index, leaf, silence, clock: clock), due > clock { next = due }
        guard silence.isBySource else { return next }
        for sourceState in sourceStates where sourceState.metric == leaf.metric {
            let end = sourceState.arrival + SourceState.forgetting + 1
            if end > clock { next = min(next, end) }
        }
        return next
    }
}

extension SourceState {
    /// Returns the time from which it counts as silent, on the engine's clock. Nil if it measures too seldom or did not run for long enough to be
    /// missed, or has been silent for so long that it is forgotten.
    fileprivate func silent(_ silence: Comparison.Silence, at clock: Int64) -> Int64? {
        guard interval > 0, Int64(interval) * 1000 * LeafState.usualIntervals <= silence.after, clock - arrival <= Self.forgetting
        else { return nil }
        guard silence.isExpected || arrival - runClock >= silence.continuous else { return nil }
        return arrival + silence.after
    }
}
