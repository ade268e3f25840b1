import VigilSchema

/// Decides what alarms: a value without I/O and without a clock of its own.
///
/// Readings, commands and the passing of time go in; events come out. The same calls in the same order always have the same results, so a
/// recorded input can be replayed. Delays and windows count event time; a safety net on processing time, the engine's clock, acts where readings
/// stop. Whoever calls moves that clock evenly, whatever the machine's clock does (`EngineTime`); each timer runs as of the moment at which it was
/// due. No reading that comes late and no silence of a sensor ends a medical alert.
package struct AlertEngine: Sendable {
    /// A clock that is ahead by more is off, in microseconds.
    static let clockTolerance: Int64 = 60 * 1_000_000
    /// By so much the clock of whoever gives a command may be ahead or behind, in microseconds.
    static let commandTolerance: Int64 = 300 * 1_000_000
    /// The time within which an alert that ended unanswered and comes back is the same episode, in microseconds.
    package static let episodeGap: Int64 = 900 * 1_000_000
    /// The longest silence that can be asked for, in microseconds.
    static let longestSilence: Int64 = 7 * 86_400 * 1_000_000
    /// A pulse rate stands in for the heart rate once there was none for so long, in microseconds.
    static let pulseStandsInAfter: Int64 = 120 * 1_000_000

    package internal(set) var rules: RuleSet
    /// Participants' names, by place; empty where a place is free.
    package internal(set) var names: [String] = []
    var indices: [String: Int] = [:]
    var participants = ParticipantTable()
    /// The number of participants that may be spread out at once.
    var spreadLimit: Int
    /// Places whose participant was forgotten, and their like that nobody was told of yet.
    var free: [Int] = []
    var freed: [Int] = []
    /// The highest number of an event of those who were forgotten or erased: their alerts go on behind it should they come back.
    var sequenceFloor: UInt32 = 0
    /// The time of the last look for participants who can be forgotten, on the engine's clock.
    var lastForgetting = Int64.min
    var timers = TimerQueue()
    /// Processing time in microseconds: as wall time where it began, and from then on evenly.
    package internal(set) var clock: Int64
    /// The wall time that the last call told.
    package internal(set) var lastNow: Int64
    /// Whether a participant whom a rule names is this engine's; nil: all are.
    let owns: (@Sendable (String) -> Bool)?

    /// - Parameters:
    ///   - now: wall time in microseconds since 1970.
    ///   - owns: whether a participant whom a rule names is this engine's, where several divide them; nil: all are.
    package init(rules: RuleSet, now: Int64, owns: (@Sendable (String) -> Bool)? = nil) {
        var rules = rules
        self.owns = owns
        if rules.scores.isAnyOn { ScoreTracker.intern(into: &rules) }
        self.rules = rules
        spreadLimit = ParticipantState.spreadLimit(rules)
        clock = now
        lastNow = now
        placeExpected()
    }

    /// Takes readings of one participant in the order in which they were sent.
    /// - Parameter now: wall time in microseconds since 1970.
    package mutating func take(_ readings: [Reading], of participant: Int, now: Int64, into output: inout EngineOutput) {
        thaw(participant)
        var step = begin(participant, now: now)
        for reading in readings where !rules.ownScoreMetrics.contains(reading.metric) {
            takeOne(reading, participant, &step)
        }
        finish(step, participant, &output)
    }

    /// The longest time in which each timer runs as of its own moment. A clock that was wrong by decades must not make the engine run what
    /// is due each day for all of them: of what was due before, only the last counts.
    static let longestLookBack: Int64 = 400 * 86_400_000_000

    /// Lets processing time pass up to `target`; runs what is due in its order, each timer as of its own moment.
    /// - Parameters:
    ///   - target: on the engine's clock; it never goes back.
    ///   - now: the wall time at `target`.
    package mutating func advance(to target: Int64, now: Int64, into output: inout EngineOutput) {
        lastNow = now
        clock = max(clock, target - Self.longestLookBack)
        while let next = timers.next, next.due <= target {
            _ = timers.pop()
            clock = max(clock, next.due)
            // Otherwise an entry that a later booking has replaced.
            guard participants.booked(next.participant) <= next.due else { continue }
            thaw(next.participant)
            var step = begin(next.participant, now: now - (target - clock))
            participants[next.participant].runTimers(rules, name: names[next.participant], &step)
            finish(step, next.participant, &output, isBooked: .max)
        }
        clock = max(clock, target)
        packIdle()
    }

    /// Like `advance`, over a time in which nobody looked: it does not count for the silence of a sensor, nor for how long data were lost.
    package mutating func skip(to target: Int64, now: Int64, into output: inout EngineOutput) {
        let unseen = target - clock
        if unseen > 0 {
            for index in participants.indices where !names[index].isEmpty {
                thaw(index)
                participants[index].excludeUnobserved(unseen, rules)
                // Booked anew: what was booked for a silence lies later now.
                reschedule(index, before: .max)
            }
        }
        let start = clock
        advance(to: target, now: now, into: &output)
        for index in participants.indices where unseen > 0 && !names[index].isEmpty && thawed(index).hasLostData {
            thaw(index)
            participants[index].excludeLost(from: start, to: clock)
        }
    }

    /// The time at which `advance` has something to do next, on the engine's clock.
    package var nextTimer: Int64? { timers.next?.due }

    func begin(_ participant: Int, now: Int64) -> EngineStep {
        EngineStep(participant: participant, clock: clock, now: now, sequenceFloor: sequenceFloor)
    }

    private mutating func takeOne(_ given: Reading, _ participant: Int, _ step: inout EngineStep) {
        let booked = participants[participant].booked
        let hadGaps = !participants[participant].uncovered.isEmpty
        var reading = given
        if reading.metric == rules.glucose { reading.value = GlucoseUnit.judged(reading.value) }
        let isPoor = reading.metric == rules.heartRate && participants[participant].isPoor(reading, rules, step.clock)
        judge(reading, isScored: !isPoor, participant, &step)
        if reading.metric == rules.heartRate {
            // What no rule judges is no heart rate: a loose lead must not keep the pulse from being judged.
            if !isPoor, participants[participant].isInTime(reading, rules) { participants[participant].heartRateClock = step.clock }
        } else if reading.metric == rules.pulseRate, participants[participant].isWithoutHeartRate(at: step.clock) {
            reading.metric = rules.heartRate
            judge(reading, isStandIn: true, participant, &step)
        }
        let isTold = rules.uncoveredRule >= 0 && participants[participant].alerts[rules.uncoveredRule].isActive
        if isTold || hadGaps || !participants[participant].uncovered.isEmpty { checkCoverage(reading, participant, &step) }
        reschedule(participant, before: booked)
    }

    private mutating func judge(
        _ reading: Reading, isStandIn: Bool = false, isScored: Bool = true, _ participant: Int, _ step: inout EngineStep
    ) {
        var judged = reading
        // A clock that is ahead must not run timers out, nor stand in the way of what comes after: the time of receiving counts then.
        judged.time = min(reading.time, reading.received)
        participants[participant].take(judged, rules, isStandIn: isStandIn, &step)
        checkClock(reading, participant, &step)
        guard isScored, participants[participant].scores != nil else { return }
        takeScores(reading, participant, &step)
    }

    private mutating func takeScores(_ reading: Reading, _ participant: Int, _ step: inout EngineStep) {
        let profile = participants[participant].profile
        guard let reading = participants[participant].scored(reading, rules, step.clock),
            let scores = participants[participant].scores?.take(reading, rules, profile: profile, clock: step.clock)
        else { return }
        for score in scores {
            if score.isNew {
                step.derived.append(
                    DerivedValue(participant: participant, metric: score.metric, time: score.time, content: score.content))
            }
            // A score holds as long as what it is made of: it is judged whenever one of that comes, also where it stays the same.
            guard let metric = rules.metric(named: score.metric) else { continue }
            let value: Double
            switch score.content {
            case .number(let number): value = number
            case .text(let text): value = rules.code(ofText: text)
            }
            participants[participant].take(
                Reading(metric: metric, time: score.time, received: reading.received, value: value), rules, held: score.held, &step)
        }
    }

    /// Somebody whose readings no rule judges, though there are rules for others, is told of.
    private mutating func checkCoverage(_ reading: Reading, _ participant: Int, _ step: inout EngineStep) {
        guard rules.uncoveredRule >= 0, let metric = rules.metric(named: RuleSet.uncoveredMetric), reading.metric != metric else { return }
        let count = participants[participant].uncovered.count
        let derived = Reading(metric: metric, time: reading.received, received: reading.received, value: Double(count))
        participants[participant].take(derived, rules, &step)
    }

    private mutating func checkClock(_ reading: Reading, _ participant: Int, _ step: inout EngineStep) {
        guard rules.clockOffset >= 0, reading.metric != rules.clockOffset else { return }
        // A reading from the past may have waited in its device; one from the future cannot have.
        let offset = reading.time - reading.received
        let isOff = offset > Self.clockTolerance
        guard isOff || participants[participant].isClockOff else { return }
        participants[participant].isClockOff = isOff
        let derived = Reading(
            metric: rules.clockOffset, time: reading.received, received: reading.received, value: Double(offset) / 1e6)
        participants[participant].take(derived, rules, &step)
    }

    func copyOut(_ step: EngineStep, _ output: inout EngineOutput) {
        output.events += step.events
        output.derived += step.derived
        output.ignored += step.ignored
    }

    mutating func finish(_ step: EngineStep, _ participant: Int, _ output: inout EngineOutput, isBooked before: Int64? = nil) {
        copyOut(step, &output)
        if let before { reschedule(participant, before: before) }
    }

    mutating func reschedule(_ participant: Int, before: Int64) {
        let booked = participants.booked(participant)
        if booked < before { timers.push(booked, participant) }
    }
}

extension AlertEngine {
    /// Limits a silence of all rules that names no severity: it hides what is active now, and of the rest nothing above a warning.
    /// - Parameter participant: nil for somebody who was never heard of.
    /// - Returns: nil where there is nothing of the rule that it could hide.
    package func limited(_ request: AlertRequest, ofAll participant: Int?, rule: Int) -> AlertRequest? {
        guard case .silence(let end, nil) = request.command else { return request }
        if let participant, snapshot(participant: participant, rule: rule).alert.phase == .active { return request }
        guard rules.rules[rule].levels.contains(where: { $0.severity <= .warning }) else { return nil }
        var request = request
        request.command = .silence(until: end, upTo: .warning)
        return request
    }

    /// Carries out a command. A repeated one changes nothing and brings no event.
    package mutating func apply(
        _ request: AlertRequest, to participant: Int, rule: Int, now: Int64, into output: inout EngineOutput
    ) throws(AlertCommandError) {
        thaw(participant)
        var step = begin(participant, now: now)
        let booked = participants[participant].booked
        try participants[participant].apply(request, rule: rule, name: names[participant], rules, &step)
        participants[participant].schedule(rule, rules, &step)
        finish(step, participant, &output, isBooked: booked)
    }
}
