/// Readings of one source that are all measured before what is known, as evenly as they come: its clock was set back.
///
/// What a device sends later than it measured is no news, and decides nothing. But where the clock of a cuff goes back by an hour, as in autumn, all that
/// it measures seems to be of the past for that hour. Data sent after the event come faster than they were measured; those of such a clock come
/// as fast.
struct LateRun: Hashable, Sendable {
    /// The run is one after so long, in microseconds.
    private static let least: Int64 = 60 * 1_000_000
    /// What is behind by less is over soon, in microseconds.
    fileprivate static let behind: Int64 = 600 * 1_000_000
    /// So far the distances may differ, in microseconds.
    private static let tolerance: Int64 = 60 * 1_000_000

    let source: UInt32
    /// The first reading's time, and the engine's clock when it came.
    let time: Int64
    let arrival: Int64

    /// Tells whether a reading that is late too shows that the clock was set back; nil where the run does not go on with it.
    func isClockSetBack(by reading: Reading, at clock: Int64) -> Bool? {
        let (measured, passed) = (reading.time - time, clock - arrival)
        guard reading.source == source, measured >= 0 else { return nil }
        guard abs(measured - passed) <= Self.tolerance else { return passed < Self.least ? false : nil }
        return passed >= Self.least
    }
}

extension ParticipantState {
    /// Notes a reading that seems to be late; tells whether it is the present of a clock that was set back.
    mutating func noteLate(_ reading: Reading, _ rules: RuleSet, _ clock: Int64) -> Bool {
        let input = rules.scores.isAnyOn ? rules.scoreInput[reading.metric] : -1
        let (judged, scored) = (newest(of: reading, rules), scored(input))
        guard judged?.isBehind(reading, clock) ?? false || scored?.isBehind(reading, clock) ?? false else {
            if !lateRuns.isEmpty, judged != nil || scored != nil { lateRuns[reading.metric] = nil }
            return false
        }
        guard let run = lateRuns[reading.metric], let isSetBack = run.isClockSetBack(by: reading, at: clock) else {
            lateRuns[reading.metric] = LateRun(source: reading.source, time: reading.time, arrival: clock)
            return false
        }
        guard isSetBack else { return false }
        lateRuns[reading.metric] = nil
        // To a score it is no late one either.
        if scores?.measured.indices.contains(input) ?? false { scores?.measured[input] = .min }
        return true
    }

    /// A reading's time, and the engine's clock then.
    private struct Moment {
        let time: Int64
        let clock: Int64

        func isBehind(_ reading: Reading, _ now: Int64) -> Bool {
            reading.time < time && time + (now - clock) - reading.time >= LateRun.behind
        }
    }

    /// The newest reading of the same source that a rule knows; nil where there is none.
    private func newest(of reading: Reading, _ rules: RuleSet) -> Moment? {
        let known = rules.readers[reading.metric].first {
            leaves[$0].isSeen && (leaves[$0].source == reading.source || leaves[$0].source == 0 || reading.source == 0)
        }
        return known.map { Moment(time: leaves[$0].time, clock: leaves[$0].arrival) }
    }

    /// The newest that the scores know.
    private func scored(_ input: Int) -> Moment? {
        guard input >= 0, let scores, scores.measured.indices.contains(input), scores.measured[input] != .min else { return nil }
        return Moment(time: scores.times[input], clock: scores.measured[input])
    }
}
