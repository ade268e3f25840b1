import VigilSchema

/// Decides what alarms: a value without I/O and without a clock of its own.
///
/// Readings, commands and the passing of time go in; events come out. The same calls in the same order always have the same results, so a
/// recorded input can be replayed. Delays and windows count event time; a safety net on processing time acts where readings stop. Processing
/// time counts at most `maximumStep` a call, so neither a leap of the machine's clock nor a long sleep runs timers out. No reading that comes late, no
/// clock that leaps and no silence of a sensor ends a medical alert.
package struct AlertEngine: Sendable {
    /// The longest passing of processing time that one call can bring about, in microseconds.
    package static let maximumStep: Int64 = 60 * 1_000_000
    /// A clock that differs by more is off, in microseconds.
    static let clockTolerance: Int64 = 60 * 1_000_000

    package internal(set) var rules: RuleSet
    /// Participants' names, by place.
    package internal(set) var names: [String] = []
    var places: [String: Int] = [:]
    var participants: [ParticipantState] = []
    var timers = TimerQueue()
    var clock: Int64
    var lastNow: Int64
    let offsetMetric: Int?

    /// - Parameter now: wall time in microseconds since 1970.
    package init(rules: RuleSet, now: Int64) {
        var rules = rules
        offsetMetric = rules.metric(named: TechnicalMetric.clockOffset)
        if rules.scores.isAnyOn { ScoreTracker.intern(into: &rules) }
        self.rules = rules
        clock = now
        lastNow = now
    }

    /// The place of a participant's name, made where it is new.
    package mutating func place(of name: String) -> Int {
        if let known = places[name] { return known }
        let place = names.count
        places[name] = place
        names.append(name)
        participants.append(ParticipantState(rules, name: name))
        return place
    }

    /// The place of a participant that is known.
    package func knownPlace(of name: String) -> Int? { places[name] }

    /// Takes readings of one participant in the order in which they were sent.
    /// - Parameter now: wall time in microseconds since 1970.
    package mutating func take(_ readings: [Reading], of participant: Int, now: Int64, into output: inout EngineOutput) {
        var step = begin(participant, now: now)
        for reading in readings {
            takeOne(reading, participant, &step)
        }
        finish(step, participant, &output)
    }

    /// Lets processing time pass; runs what is due.
    package mutating func advance(to now: Int64, into output: inout EngineOutput) {
        pass(to: now)
        while let next = timers.next, next.due <= clock {
            _ = timers.pop()
            var step = EngineStep(participant: next.participant, clock: clock, now: now)
            // An entry that a later booking has replaced.
            guard participants[next.participant].booked <= clock else { continue }
            participants[next.participant].runTimers(rules, &step)
            finish(step, next.participant, &output, isBooked: .max)
        }
    }

    /// When `advance` has something to do next, as wall time, if time passes evenly.
    package var nextTimer: Int64? { timers.next.map { lastNow + max(0, $0.due - clock) } }

    func begin(_ participant: Int, now: Int64) -> EngineStep {
        EngineStep(participant: participant, clock: clock, now: now)
    }

    /// Moves the engine's clock: never back, never by more than `maximumStep`.
    package mutating func pass(to now: Int64) {
        clock += min(max(0, now - lastNow), Self.maximumStep)
        lastNow = now
    }

    private mutating func takeOne(_ reading: Reading, _ participant: Int, _ step: inout EngineStep) {
        let booked = participants[participant].booked
        participants[participant].take(reading, rules, &step)
        checkClock(reading, participant, &step)
        if participants[participant].scores != nil { takeScores(reading, participant, &step) }
        rebook(participant, before: booked)
    }

    private mutating func takeScores(_ reading: Reading, _ participant: Int, _ step: inout EngineStep) {
        let profile = participants[participant].profile
        guard
            let derived = participants[participant].scores?.take(
                reading, rules, profile: profile, clock: step.clock)
        else { return }
        for score in derived {
            step.derived.append(
                DerivedObservation(participant: participant, metric: score.metric, time: reading.time, content: score.content))
            guard let metric = rules.metric(named: score.metric) else { continue }
            let value: Double
            switch score.content {
            case .number(let number): value = number
            case .text(let text): value = rules.code(ofText: text)
            }
            participants[participant].take(
                Reading(metric: metric, time: reading.time, received: reading.received, value: value), rules, &step)
        }
    }

    private mutating func checkClock(_ reading: Reading, _ participant: Int, _ step: inout EngineStep) {
        guard let offsetMetric, reading.metric != offsetMetric else { return }
        let offset = reading.time - reading.received
        let isOff = abs(offset) > Self.clockTolerance
        guard isOff || participants[participant].isClockOff else { return }
        participants[participant].isClockOff = isOff
        let derived = Reading(metric: offsetMetric, time: reading.received, received: reading.received, value: Double(offset) / 1e6)
        participants[participant].take(derived, rules, &step)
    }

    func copyOut(_ step: EngineStep, _ output: inout EngineOutput) {
        output.events += step.events
        output.derived += step.derived
        output.ignored += step.ignored
    }

    mutating func finish(_ step: EngineStep, _ participant: Int, _ output: inout EngineOutput, isBooked before: Int64? = nil) {
        copyOut(step, &output)
        if let before { rebook(participant, before: before) }
    }

    mutating func rebook(_ participant: Int, before: Int64) {
        let booked = participants[participant].booked
        if booked < before { timers.push(booked, participant) }
    }
}
