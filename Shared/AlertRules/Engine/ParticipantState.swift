/// Everything that the engine remembers of one participant: flat arrays in the rule set's order.
struct ParticipantState: Sendable {
    var alerts: [AlertState]
    var levels: [LevelState]
    var leaves: [LeafState]
    /// The remembered times of the repetitions; 0: none.
    var rings: [Int64]
    var windows: [ValueWindow]
    var histories: [ValueHistory]
    var days: [DayValues]
    var anchors: [AnchorState]
    var inputs: [InputState]
    /// The newest value of each metric of signal quality, and the engine's clock when it came.
    var qualities: [QualityState]
    /// The sources of each metric that has several, in no order.
    var sourceStates: [SourceState] = []
    /// The readings that seem to be late, by metric, where the newest were.
    var lateRuns: [Int: LateRun] = [:]
    /// The events that were counted, by leaf.
    var events: [Int: EventTimes] = [:]
    var profile = PersonFacts()
    /// The wall time from which the person is too old for what the profile says of the rules.
    var profileUntil = Int64.max
    /// The thresholds' numbers for this person; empty: the standard ones.
    var limits: [Double] = []
    /// Thresholds set by command, by slot.
    var overrides: [Int: Double] = [:]
    var scores: ScoreTracker?
    /// The last deeds of people, by rule.
    var notes: [Int: AlertNote] = [:]
    var isClockOff = false
    /// The engine's clock when a heart rate came that was none by the pulse.
    var heartRateClock = Int64.min
    /// The metrics that came and that no rule judges for this person, by place.
    var uncovered: Set<Int> = []
    /// The engine's clock when it was asked for last.
    var touched: Int64 = 0
    /// The engine's clock at which a timer is already booked.
    var booked = Int64.max

    /// - Parameter clock: the engine's clock, from which on sensors are expected.
    init(_ rules: RuleSet, name: String, clock: Int64) {
        alerts = Array(repeating: AlertState(), count: rules.rules.count)
        levels = Array(repeating: LevelState(), count: rules.levels.count)
        leaves = Array(repeating: LeafState(), count: rules.leaves.count)
        rings = Array(repeating: 0, count: rules.ringCount)
        windows = Array(repeating: ValueWindow(), count: rules.windows.count)
        histories = Array(repeating: ValueHistory(), count: rules.histories.count)
        days = Array(repeating: DayValues(), count: rules.days.count)
        anchors = Array(repeating: AnchorState(), count: rules.anchorCount)
        inputs = Array(repeating: InputState(), count: rules.inputCount)
        qualities = Array(repeating: QualityState(), count: rules.qualities.count)
        if rules.scores.isAnyOn { scores = ScoreTracker(slots: rules.scoreSlots) }
        if !name.isEmpty, !name.hasPrefix("_") { expect(rules, clock: clock) }
        applyProfile(rules, name: name, at: clock)
    }

    /// Stands where there is nobody.
    init() {
        (alerts, levels, leaves, rings, windows, histories) = ([], [], [], [], [], [])
        (days, anchors, inputs, qualities) = ([], [], [], [])
    }

    /// A sensor that is expected counts as silent from now on until it is heard of.
    private mutating func expect(_ rules: RuleSet, clock: Int64) {
        for (index, leaf) in rules.leaves.enumerated() {
            guard case .silent(let silence) = leaf.comparison, silence.isExpected else { continue }
            leaves[index].time = clock
            leaves[index].arrival = clock
            leaves[index].runClock = clock
        }
    }

    /// The number of a threshold for this person.
    func limit(_ threshold: Threshold) -> Double { limits.isEmpty ? threshold.standard : limits[threshold.slot] }

    /// Takes the thresholds that follow a history from it, unless a command has set them.
    mutating func refreshPercentiles(_ rules: RuleSet, history index: Int) {
        let history = histories[index]
        for threshold in rules.thresholds {
            guard let percentile = threshold.percentile, percentile.history == index, overrides[threshold.slot] == nil else { continue }
            guard history.total >= Float(percentile.minimumReadings),
                let value = history.percentile(percentile.rank, plan: rules.histories[index])
            else { continue }
            // A damaged state may have a history and not the limits that go with it.
            if limits.isEmpty { limits = rules.thresholds.map(\.standard) }
            limits[threshold.slot] = min(max(value, percentile.bounds.lowerBound), percentile.bounds.upperBound)
        }
    }
}

/// The person who acted on an alert, and the reason; kept beside the alert because most have none.
struct AlertNote: Hashable, Sendable {
    var acknowledgedBy: String?
    var silencedBy: String?
    var silenceReason: String?
    /// The end of the silence, on the engine's clock: no leap of the machine's clock makes it longer or shorter.
    var silenceEnd: Int64 = 0
    /// The time an alert that was ended by hand stays quiet: wall time and the engine's clock; 0: it does not.
    var clearedUntil: Int64 = 0
    var clearEnd: Int64 = 0
    /// Its measure then, `measure(of:_:)`: what is worse by a margin is told again.
    var clearedValue: Double = .nan
    /// The end of the acknowledgement, on the engine's clock; 0: it lasts as long as the alert.
    var acknowledgedEnd: Int64 = 0
    /// The alert's measure when it was acknowledged, `measure(of:_:)`.
    var acknowledgedValue: Double?
    /// The event time of the first of the late critical readings that follow each other; 0: there is none.
    var lateSince: Int64 = 0
    /// The engine's clock when a late finding was told last; 0: none was.
    var lateClock: Int64 = 0

    var isEmpty: Bool { self == AlertNote() }
}

/// The facts known of a signal's quality.
struct QualityState: Hashable, Sendable {
    var value: Double = .nan
    var arrival: Int64 = LeafState.never
    /// Its source's number; 0: not known.
    var source: UInt32 = 0
}

extension ParticipantState {
    /// Runs every timer that is due and books the next.
    mutating func runTimers(_ rules: RuleSet, name: String, _ step: inout EngineStep) {
        booked = .max
        if step.now >= profileUntil { growOlder(rules, name: name, &step) }
        settle(rules, &step)
        scheduleBirthday(step)
        for rule in rules.rules.indices {
            guard !alerts[rule].flags.contains(.excluded) else {
                passSilence(rule, rules, &step)
                continue
            }
            evaluate(rule, rules, time: nil, &step)
            endSilence(rule, rules, &step)
            endClear(rule, rules, &step)
            endAcknowledgement(rule, rules, &step)
            escalate(rule, rules, &step)
            schedule(rule, rules, &step)
        }
    }

    /// A silence of a rule that is not for this person ends in its time too.
    private mutating func passSilence(_ rule: Int, _ rules: RuleSet, _ step: inout EngineStep) {
        endSilence(rule, rules, &step)
        if alerts[rule].silencedUntil > 0 { booked = min(booked, max(step.clock + 1, notes[rule]?.silenceEnd ?? 0)) }
    }

    private mutating func endSilence(_ rule: Int, _ rules: RuleSet, _ step: inout EngineStep) {
        guard alerts[rule].silencedUntil > 0, (notes[rule]?.silenceEnd ?? 0) <= step.clock else { return }
        endSilence(rule, rules, at: alerts[rule].silencedUntil, .timer, &step)
    }

    mutating func endSilence(_ rule: Int, _ rules: RuleSet, at time: Int64, _ cause: AlertEvent.Cause, _ step: inout EngineStep) {
        alerts[rule].silencedUntil = 0
        alerts[rule].silence = .none
        notes[rule]?.silencedBy = nil
        notes[rule]?.silenceReason = nil
        emit(.silenceEnded, rule, rules, at: time, cause, &step)
    }

    /// A clear by hand is over: what still holds is an alarm again, not what nothing is known of any more.
    private mutating func endClear(_ rule: Int, _ rules: RuleSet, _ step: inout EngineStep) {
        guard alerts[rule].rearm != .none, let note = notes[rule], note.clearEnd > 0, note.clearEnd <= step.clock else { return }
        rearm(rule, rules, at: note.clearedUntil, .timer, &step)
        _ = forgetUnknown(rule, rules, clock: step.clock)
        evaluate(rule, rules, time: nil, &step)
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

    var hasLostData: Bool { alerts.contains { $0.isActive && $0.flags.contains(.dataLost) } }

    /// Takes a time in which nobody looked out of how long data were lost: what comes now may have waited, and the episode goes on.
    mutating func excludeLost(from start: Int64, to end: Int64) {
        for rule in alerts.indices where alerts[rule].isActive && alerts[rule].flags.contains(.dataLost) {
            let since = alerts[rule].endedClock
            alerts[rule].endedClock = since >= start ? end : since + (end - start)
        }
    }

    /// Takes a time in which nobody looked out of every sensor's silence.
    mutating func excludeUnobserved(_ unseen: Int64, _ rules: RuleSet) {
        for index in leaves.indices where rules.leaves[index].isSilent && leaves[index].isSeen {
            leaves[index].unseen = UInt32(clamping: Int64(leaves[index].unseen) + unseen / 1000)
        }
    }
}
