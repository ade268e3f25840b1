/// One severity of one rule for one participant: idle → pending → firing → keeping.
///
/// A value without I/O or clock. Unknown never begins and never ends anything but a delay that has not run out.
struct LevelState: Hashable, Sendable {
    enum Phase: UInt8, Sendable { case idle, pending, firing, keeping }

    /// What a step is taken on.
    struct Moment {
        /// The reading's time; nil when a timer is the reason.
        let time: Int64?
        /// The engine's clock.
        let clock: Int64
        /// How long timers wait for late readings.
        let lateness: Int64
    }

    var phase = Phase.idle
    /// When the delay, or the keeping, began: event time and the engine's clock.
    var since: Int64 = 0
    var sinceClock: Int64 = 0

    var isFiring: Bool { phase == .firing || phase == .keeping }

    /// Takes a step. `mayBegin` is false outside the rule's schedule or before it has repeated often enough.
    mutating func step(_ truth: Truth, at moment: Moment, eventTime: Int64, level: RuleLevel, mayBegin: Bool) {
        switch phase {
        case .idle:
            guard truth == .yes, mayBegin else { return }
            begin(.pending, eventTime, moment)
            if level.delay == 0 { phase = .firing }
        case .pending:
            if truth != .yes { phase = .idle } else if isOver(level.delay, moment) { phase = .firing }
        case .firing:
            guard truth == .no else { return }
            if level.keepFiring > 0 { begin(.keeping, eventTime, moment) } else { phase = .idle }
        case .keeping:
            if truth == .yes { phase = .firing } else if truth == .no, isOver(level.keepFiring, moment) { phase = .idle }
        }
    }

    /// A reading that came late says that the condition did not hold at `time`: the delay began after it.
    mutating func interrupt(at time: Int64) {
        if phase == .pending, since <= time { since = time }
    }

    /// When a timer would act, on the engine's clock; nil where none runs.
    func deadline(_ level: RuleLevel, lateness: Int64) -> Int64? {
        switch phase {
        case .idle, .firing: nil
        case .pending: sinceClock + level.delay + lateness
        case .keeping: sinceClock + level.keepFiring + lateness
        }
    }

    private mutating func begin(_ next: Phase, _ eventTime: Int64, _ moment: Moment) {
        phase = next
        since = eventTime
        sinceClock = moment.clock
    }

    private func isOver(_ duration: Int64, _ moment: Moment) -> Bool {
        if let time = moment.time, time - since >= duration { return true }
        return moment.clock - sinceClock >= duration + moment.lateness
    }
}
