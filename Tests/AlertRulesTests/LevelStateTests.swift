import Testing

@testable import AlertRules

/// A level's steps as values: the delay is 10, the keeping 7 and the lateness 2, whatever the unit.
@Suite("A level's steps")
struct LevelStateTests {
    /// One step and what must come of it.
    struct Row: Sendable, CustomTestStringConvertible {
        let before: LevelState
        let truth: Truth
        /// The reading's time; nil: a timer.
        let time: Int64?
        let clock: Int64
        let after: LevelState
        var testDescription: String { "\(before.phase) \(truth) at \(time.map(String.init) ?? "-")/\(clock) → \(after.phase)" }
    }

    private static let idle = LevelState()
    private static let pending = LevelState(phase: .pending, readings: 1, since: 100, sinceClock: 105)
    private static let firing = LevelState(phase: .firing, readings: 1, since: 100, sinceClock: 105)
    private static let keeping = LevelState(phase: .keeping, readings: 1, since: 100, sinceClock: 105)

    private static func plan(delay: Int64 = 10, keep: Int64 = 7, share: Double = 1) -> LevelPlan {
        LevelPlan(
            RuleLevel(
                severity: .warning, priority: .medium, condition: .leaf(0), delay: delay, share: share, keepFiring: keep, repetition: nil))
    }

    private static func step(_ row: Row, _ plan: LevelPlan, mayBegin: Bool = true, isExpecting: Bool = false) -> LevelState {
        var state = row.before
        state.step(
            row.truth, at: LevelState.StepContext(time: row.time, clock: row.clock, lateness: 2), eventTime: 90, level: plan,
            mayBegin: mayBegin, isExpecting: isExpecting)
        return state
    }

    /// The event time of a step is 90, so that it is told from the reading's time.
    private static func changed(_ state: LevelState, to phase: LevelState.Phase, clock: Int64? = nil) -> LevelState {
        guard let clock else { return LevelState(phase: phase, readings: 1, since: state.since, sinceClock: state.sinceClock) }
        return LevelState(phase: phase, readings: phase == .idle ? 0 : 1, since: 90, sinceClock: clock)
    }

    static let rows: [Row] = [
        Row(before: idle, truth: .no, time: 90, clock: 95, after: idle),
        Row(before: idle, truth: .unknown, time: 90, clock: 95, after: idle),
        Row(before: idle, truth: .yes, time: 90, clock: 95, after: changed(idle, to: .pending, clock: 95)),
        // A delay is over in event time at 110, and on the clock at 117.
        Row(before: pending, truth: .yes, time: 109, clock: 110, after: pending),
        Row(before: pending, truth: .yes, time: 110, clock: 110, after: changed(pending, to: .firing)),
        Row(before: pending, truth: .yes, time: nil, clock: 116, after: pending),
        Row(before: pending, truth: .yes, time: nil, clock: 117, after: changed(pending, to: .firing)),
        Row(before: pending, truth: .yes, time: 101, clock: 116, after: pending),
        Row(before: pending, truth: .yes, time: 101, clock: 117, after: changed(pending, to: .firing)),
        Row(before: pending, truth: .no, time: 101, clock: 106, after: idle),
        Row(before: pending, truth: .no, time: nil, clock: 200, after: idle),
        Row(before: pending, truth: .unknown, time: nil, clock: 200, after: idle),
        Row(before: firing, truth: .yes, time: 300, clock: 300, after: firing),
        Row(before: firing, truth: .unknown, time: nil, clock: 300, after: firing),
        Row(before: firing, truth: .no, time: 109, clock: 111, after: changed(firing, to: .keeping, clock: 111)),
        Row(before: keeping, truth: .yes, time: 106, clock: 106, after: changed(keeping, to: .firing)),
        Row(before: keeping, truth: .unknown, time: nil, clock: 300, after: keeping),
        // The keeping is over in event time at 107, and on the clock at 114.
        Row(before: keeping, truth: .no, time: 106, clock: 113, after: keeping),
        Row(before: keeping, truth: .no, time: 107, clock: 108, after: changed(keeping, to: .idle, clock: 108)),
        Row(before: keeping, truth: .no, time: nil, clock: 113, after: keeping),
        Row(before: keeping, truth: .no, time: nil, clock: 114, after: changed(keeping, to: .idle, clock: 114)),
    ]

    @Test("follow from its condition, the reading's time and the clock", arguments: rows)
    func steps(row: Row) {
        #expect(Self.step(row, Self.plan()) == row.after)
    }

    @Test("are none before it may begin; without a delay it fires at once, and without a keeping it ends at once")
    func atOnce() {
        let begin = Row(before: Self.idle, truth: .yes, time: 90, clock: 95, after: Self.idle)
        #expect(Self.step(begin, Self.plan(), mayBegin: false) == Self.idle)
        #expect(Self.step(begin, Self.plan(delay: 0)) == LevelState(phase: .firing, readings: 1, since: 90, sinceClock: 95))
        let end = Row(before: Self.firing, truth: .no, time: 90, clock: 95, after: Self.idle)
        #expect(Self.step(end, Self.plan(keep: 0)) == LevelState(phase: .idle, since: 90, sinceClock: 95))
        #expect(Self.step(end, Self.plan(keep: 1)).phase == .keeping)
    }

    @Test("wait over the unknown where the next reading is not due yet, and not over a no")
    func expecting() {
        let unknown = Row(before: Self.pending, truth: .unknown, time: nil, clock: 300, after: Self.pending)
        #expect(Self.step(unknown, Self.plan(), isExpecting: true) == Self.pending)
        let no = Row(before: Self.pending, truth: .no, time: nil, clock: 300, after: Self.idle)
        #expect(Self.step(no, Self.plan(), isExpecting: true) == Self.idle)
    }

    /// A reading under a delay of which 80 % must exceed the limit.
    struct ShareRow: Sendable, CustomTestStringConvertible {
        let counts: (readings: UInt16, missed: UInt16)
        let truth: Truth
        var time: Int64? = 105
        var expected: Int64 = 0
        /// Nil: the delay is given up.
        let after: (readings: UInt16, missed: UInt16)?
        var phase = LevelState.Phase.pending
        var testDescription: String { "\(counts) \(truth) at \(time.map(String.init) ?? "-"), \(expected) expected" }
    }

    static let shares: [ShareRow] = [
        ShareRow(counts: (4, 0), truth: .no, after: (5, 1)),
        ShareRow(counts: (3, 0), truth: .no, after: nil),
        ShareRow(counts: (3, 0), truth: .no, expected: 5, after: (4, 1)),
        ShareRow(counts: (3, 0), truth: .no, expected: 4, after: nil),
        ShareRow(counts: (9, 1), truth: .no, after: (10, 2)),
        ShareRow(counts: (9, 1), truth: .no, expected: 3, after: (10, 2)),
        ShareRow(counts: (8, 1), truth: .no, after: nil),
        ShareRow(counts: (8, 1), truth: .yes, after: (9, 1)),
        // A timer is no reading.
        ShareRow(counts: (4, 0), truth: .no, time: nil, after: (4, 0)),
        ShareRow(counts: (4, 0), truth: .yes, time: nil, after: (4, 0)),
        ShareRow(counts: (4, 0), truth: .unknown, after: nil),
        ShareRow(counts: (9, 1), truth: .yes, time: 109, after: (10, 1)),
        ShareRow(counts: (9, 1), truth: .yes, time: 110, after: (10, 1), phase: .firing),
        ShareRow(counts: (9, 1), truth: .no, time: 110, after: (10, 2)),
        // Beyond what can be counted, halves tell the same: 6554 of 32768 are one too many.
        ShareRow(counts: (65535, 13106), truth: .yes, after: (32768, 6553)),
        ShareRow(counts: (65535, 13106), truth: .no, after: nil),
        ShareRow(counts: (65534, 13106), truth: .yes, after: (65535, 13106)),
    ]

    @Test("give a delay up once too few of its readings exceed the limit", arguments: shares)
    func share(row: ShareRow) {
        var state = LevelState(
            phase: .pending, readings: row.counts.readings, missed: row.counts.missed, since: 100, sinceClock: 105)
        state.step(
            row.truth, at: LevelState.StepContext(time: row.time, clock: 106, lateness: 2), eventTime: 90, level: Self.plan(share: 0.8),
            mayBegin: true, expected: row.expected)
        let wanted = row.after.map { LevelState(phase: row.phase, readings: $0.readings, missed: $0.missed, since: 100, sinceClock: 105) }
        #expect(state == wanted ?? LevelState())
    }

    @Test("a late no begins a delay anew after it, or counts as a reading that missed")
    func interruptions() {
        func interrupted(_ state: LevelState, at time: Int64, share: Double = 1) -> LevelState {
            var state = state
            state.interrupt(at: time, Self.plan(share: share))
            return state
        }
        #expect(interrupted(Self.pending, at: 99) == Self.pending)
        #expect(interrupted(Self.pending, at: 104).since == 104 && interrupted(Self.pending, at: 104).phase == .pending)
        for state in [Self.idle, Self.firing, Self.keeping] { #expect(interrupted(state, at: 104) == state) }
        let counted = interrupted(Self.pending, at: 100, share: 0.8)
        #expect(counted == LevelState(phase: .pending, readings: 2, missed: 1, since: 100, sinceClock: 105))
    }

    @Test("a late crossing is untold only after the last of which was told, and where nothing is waited for")
    func untold() {
        let quiet = LevelState(phase: .idle, since: 100, sinceClock: 105)
        #expect(!quiet.isUntold(at: 100, Self.plan(delay: 0)))
        #expect(quiet.isUntold(at: 101, Self.plan(delay: 0)))
        #expect(!quiet.isUntold(at: 101, Self.plan(delay: 1)))
        #expect(!Self.firing.isUntold(at: 101, Self.plan(delay: 0)))
    }

    @Test("a timer runs when a delay or a keeping is over on the clock, and the lateness too")
    func deadlines() {
        #expect(Self.idle.deadline(Self.plan(), lateness: 2) == nil)
        #expect(Self.firing.deadline(Self.plan(), lateness: 2) == nil)
        #expect(Self.pending.deadline(Self.plan(), lateness: 2) == 117)
        #expect(Self.keeping.deadline(Self.plan(), lateness: 2) == 114)
        #expect([Self.idle, Self.pending, Self.firing, Self.keeping].map(\.isFiring) == [false, false, true, true])
    }
}
