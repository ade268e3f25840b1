/// One alert's lifecycle for one participant and rule.
struct AlertState: Hashable, Sendable {
    enum Phase: UInt8, Sendable { case none, pending, active }

    struct Flags: OptionSet, Hashable, Sendable {
        let rawValue: UInt8
        /// The condition ended; latched until somebody acknowledges.
        static let recovered = Flags(rawValue: 1)
        /// Another rule's active alert keeps it quiet.
        static let inhibited = Flags(rawValue: 2)
        /// Nothing more is known of the condition.
        static let dataLost = Flags(rawValue: 4)
        /// The rule is not for this participant.
        static let excluded = Flags(rawValue: 8)
        static let all: Flags = [.recovered, .inhibited, .dataLost, .excluded]
    }

    var phase = Phase.none
    var severity = Severity.none
    /// The severity that was acknowledged; `none`: not acknowledged.
    var acknowledged = Severity.none
    var flags: Flags = []
    /// After a clear by hand: what is not worse than this stays quiet until the condition has ended once.
    var rearm = Severity.none
    /// The severity up to which it is silenced until `silencedUntil`.
    var silence = Severity.none
    /// The number of escalation steps that were taken.
    var stage: UInt8 = 0
    /// Counts the alert's events: the newest one's number.
    var sequence: UInt32 = 0
    /// The beginning of its condition, before its delay: event time.
    var since: Int64 = 0
    /// The engine's clock at the first moment of the episode in which nobody had acknowledged: escalation counts from here.
    var alarmedClock: Int64 = 0
    /// The engine's clock when it ended without an acknowledgement; 0: it did not. If it comes back soon the episode goes on. While it is active, when
    /// its data were lost; 0: they are there.
    var endedClock: Int64 = 0
    /// Wall time in microseconds; 0: no silence.
    var silencedUntil: Int64 = 0

    var isActive: Bool { phase == .active }
    var isAcknowledged: Bool { acknowledged != .none && acknowledged >= severity }
    /// Something was told of its condition that has not ended.
    var isUnderWay: Bool { phase != .none || rearm != .none }
    var isSilenced: Bool { silencedUntil > 0 && severity <= silence }

    /// Tells whether nothing was known of its condition for so long that what comes now is another episode.
    func isLongLost(at clock: Int64) -> Bool {
        isActive && flags.contains(.dataLost) && clock - endedClock > AlertEngine.episodeGap
    }
}

/// One severity of one rule for one participant: idle → pending → firing → keeping.
///
/// A value without I/O or clock. Unknown never begins and never ends anything but a delay that has not run out.
struct LevelState: Hashable, Sendable {
    enum Phase: UInt8, Sendable { case idle, pending, firing, keeping }

    /// The circumstances in which a step is taken.
    struct StepContext {
        /// The reading's time; nil when a timer is the reason.
        let time: Int64?
        /// The engine's clock.
        let clock: Int64
        /// The time timers wait for late readings.
        let lateness: Int64
    }

    var phase = Phase.idle
    /// Under a delay that asks for a share of the readings only: how many there were in it, and how many of them did not exceed the limit. While it
    /// ends: how many came since the first that did not, and how many of them exceeded it again.
    var readings: UInt16 = 0
    var missed: UInt16 = 0
    /// The beginning of the delay, or of the keeping, or of the quiet after it: event time and the engine's clock.
    var since: Int64 = 0
    var sinceClock: Int64 = 0

    var isFiring: Bool { phase == .firing || phase == .keeping }

    /// Takes a step.
    /// - Parameters:
    ///   - truth: of the condition; strict until it fires, so that nothing begins or lasts in a dead band, and within its dead band from then on.
    ///   - mayBegin: false outside the rule's schedule or before it has repeated often enough.
    ///   - isExpecting: the series usually comes so seldom that a delay waits for its next reading.
    ///   - expected: the number of readings that usually come within the delay; 0: not known.
    mutating func step(
        _ truth: Truth, at moment: StepContext, eventTime: Int64, level: LevelPlan, mayBegin: Bool, isExpecting: Bool = false,
        expected: Int64 = 0
    ) {
        switch phase {
        case .idle:
            guard truth == .yes, mayBegin else { return }
            begin(.pending, eventTime, moment)
            if level.delay == 0 { phase = .firing }
        case .pending where level.share < 1 && truth != .unknown:
            if moment.time != nil { count(isMissed: truth == .no) }
            if isExceeded(level, expected) {
                self = LevelState()
            } else if truth == .yes, isOver(level.delay, moment) {
                phase = .firing
            }
        case .pending:
            if truth == .yes {
                if isOver(level.delay, moment) { phase = .firing }
            } else if truth == .no || !isExpecting {
                self = LevelState()
            }
        case .firing:
            guard truth == .no else { return }
            begin(level.ending > 0 ? .keeping : .idle, eventTime, moment)
        case .keeping where level.share < 1 && truth != .unknown:
            // It ends as it began: once the same share of the readings over the same time is back.
            if moment.time != nil { count(isMissed: truth == .yes) }
            if isExceeded(level, expected) {
                phase = .firing
            } else if truth == .no, isOver(level.ending, moment) {
                begin(.idle, eventTime, moment)
            }
        case .keeping:
            if truth == .yes { phase = .firing } else if truth == .no, isOver(level.keepFiring, moment) { begin(.idle, eventTime, moment) }
        }
    }

    /// Begins anew after a time in which nothing was known: nothing is kept that began before.
    mutating func restart(_ isFiring: Bool, _ eventTime: Int64, _ moment: StepContext) {
        begin(isFiring ? .firing : .idle, eventTime, moment)
    }

    /// A reading that came late says that the condition did not hold at `time`: the delay began after it, or the reading counts as one that missed.
    mutating func interrupt(at time: Int64, _ level: LevelPlan) {
        guard phase == .pending, since <= time else { return }
        if level.share < 1 { count(isMissed: true) } else { since = time }
    }

    /// Tells whether a crossing at `time`, which would have been told at once, is of a time about which nothing was told.
    func isUntold(at time: Int64, _ level: LevelPlan) -> Bool { phase == .idle && level.delay == 0 && time > since }

    /// Tells whether more readings missed than a share allows, of those that there were or usually are.
    private func isExceeded(_ level: LevelPlan, _ expected: Int64) -> Bool {
        Double(missed) > (1 - level.share) * Double(max(Int64(readings), expected)) + 1e-9
    }

    private mutating func count(isMissed: Bool) {
        // Of so many halves tell the same.
        if readings == .max { (readings, missed) = (readings / 2, missed / 2) }
        readings += 1
        if isMissed { missed += 1 }
    }

    /// Returns the time at which a timer would act, on the engine's clock; nil where none runs.
    func deadline(_ level: LevelPlan, lateness: Int64) -> Int64? {
        switch phase {
        case .idle, .firing: nil
        case .pending: sinceClock + level.delay + lateness
        case .keeping: sinceClock + level.ending + lateness
        }
    }

    private mutating func begin(_ next: Phase, _ eventTime: Int64, _ moment: StepContext) {
        phase = next
        (readings, missed) = (next == .idle ? 0 : 1, 0)
        since = eventTime
        sinceClock = moment.clock
    }

    private func isOver(_ duration: Int64, _ moment: StepContext) -> Bool {
        if let time = moment.time, time - since >= duration { return true }
        return moment.clock - sinceClock >= duration + moment.lateness
    }
}

/// The facts known of one comparison for one participant.
struct LeafState: Hashable, Sendable {
    /// Gaps of a series that are too few to tell how often it comes.
    static let gapsToLearn: UInt8 = 2
    /// The number of usual intervals a series may be late without being silent.
    static let usualIntervals: Int64 = 3

    /// The newest reading's time, in microseconds since 1970.
    var time: Int64 = 0
    /// The engine's clock when it came; `never` before the first.
    var arrival: Int64 = LeafState.never
    /// The compared value.
    var value: Double = 0
    /// The comparison's result then, within its dead band.
    var isSatisfied = false
    /// The comparison's result then, without a dead band.
    var isExceeded = false
    /// The number of gaps the usual interval was learned from, 255 at most.
    var gaps: UInt8 = 0
    /// The usual time from one reading to the next, in milliseconds: longer gaps count for little, shorter ones at once.
    var interval: UInt32 = 0
    /// The engine's clock when the series began to run without a long gap.
    var runClock: Int64 = 0
    /// Milliseconds since it came in which nobody looked: they do not count for a sensor's silence.
    var unseen: UInt32 = 0
    /// Its source's number; 0: not known.
    var source: UInt32 = 0

    static let never = Int64.min

    var isSeen: Bool { arrival != LeafState.never }

    /// So long a series may be quiet by its own habit, in microseconds; 0 before that is known.
    var usualSilence: Int64 { gaps < Self.gapsToLearn ? 0 : Int64(interval) * 1000 * Self.usualIntervals }

    /// Returns the time from which a sensor that says nothing more counts as silent, on the engine's clock; nil where it was not heard of for long
    /// enough to be missed.
    func silent(_ silence: Comparison.Silence) -> Int64? {
        guard silence.isExpected || arrival - runClock >= silence.continuous else { return nil }
        return arrival + Int64(unseen) * 1000 + max(silence.after, usualSilence)
    }

    /// Learns from the time since the reading before, in microseconds.
    mutating func learn(gap: Int64) {
        guard gap > 0 else { return }
        interval = Self.interval(interval, isFirst: gaps == 0, after: gap)
        gaps = min(gaps, 254) + 1
    }

    /// The usual interval in milliseconds, learned from one more gap in microseconds.
    static func interval(_ interval: UInt32, isFirst: Bool, after gap: Int64) -> UInt32 {
        let gap = UInt32(clamping: max(1, gap / 1000))
        if isFirst { return gap }
        if gap < interval { return interval - (interval - gap) / 2 }
        return interval + (min(gap, UInt32(clamping: Int64(interval) * 4)) - interval) / 8
    }
}
