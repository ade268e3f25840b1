/// A beat with what its time and shape say.
package struct JudgedBeat: Sendable, Codable {
    /// Unix seconds, or seconds of a recording.
    package let time: Double
    /// The interval before it, in seconds.
    package let interval: Double
    /// Nil while too little is known of the wearer.
    package var kind: BeatClass?
    /// Nil while too little is known of the rhythm.
    package var isFibrillating: Bool?
}

/// The rhythm of a minute.
package struct RhythmMinute: Hashable, Sendable, Codable {
    /// The beats that were judged.
    package var beats = 0
    package var ventricular = 0
    package var supraventricular = 0
    /// The seconds in which fibrillation was suspected.
    package var fibrillation = 0.0

    /// Makes a minute of which nothing is known.
    package init() {}
}

/// The counts of the minutes of an hour. A value without I/O.
package struct RhythmHour: Sendable, Codable {
    /// The minutes that an hour needs.
    private static let enough = 30
    private var sum = RhythmMinute()
    private var minutes = 0

    /// Makes an hour of which nothing is known.
    package init() {}

    /// Adds a minute.
    package mutating func add(_ minute: RhythmMinute) {
        guard minute.beats > 0 else { return }
        minutes += 1
        sum.beats += minute.beats
        sum.ventricular += minute.ventricular
        sum.supraventricular += minute.supraventricular
        sum.fibrillation += minute.fibrillation
    }

    /// Ends the hour: the sum of its minutes, nil where too few are known.
    package mutating func take() -> RhythmMinute? {
        defer { self = RhythmHour() }
        return minutes >= Self.enough ? sum : nil
    }
}

/// One wearer's rhythm, beat by beat, of an electrocardiogram: which beats come early or look strange, and whether fibrillation is suspected.
///
/// A value without I/O or clock. Beats come in order; while the signal is bad, or after a gap, nothing is known. Bounded: the beats of a minute and a half.
package struct RhythmAnalysis: Sendable, Codable {
    private static let kept = 800
    /// The seconds of judged beats that a minute needs.
    private static let enough = 45.0
    /// The first beats of a run of another shape pass for noise for about as long, in seconds.
    private static let patience = 1.0
    private var classifier = BeatClassifier()
    private var fibrillation = FibrillationDetector()
    private var suspicion: Bool?
    private var isAfterStrange = false
    private var last: Double?
    /// The first beat of a signal that is bad; nil while it is good.
    private var badSince: Double?
    private var intervals = RhythmIntervals()
    /// The beats of the last minute and a half.
    package private(set) var beats: [JudgedBeat] = []

    /// Makes an analysis that has seen nothing.
    package init() {}

    /// Takes a beat; in a signal that has been bad for a second nothing is known of the rhythm.
    /// - Parameter isGood: not so noisy that a shape that was never seen may be noise.
    package mutating func add(at time: Double, shape: BeatShape?, isUsable: Bool, isGood: Bool = true) {
        badSince = isUsable ? nil : badSince ?? time
        if let badSince, time - badSince >= Self.patience { return gap() }
        defer { last = time }
        guard let last, time > last, time - last <= 3 else { return gap() }
        let interval = time - last
        // Of the beat before, as what follows it is known only now.
        judgeLast(classifier.push(interval: interval, shape: shape, isGood: isGood), at: last)
        beats.append(JudgedBeat(time: time, interval: interval))
        let old = beats.prefix { $0.time < time - 90 }.count
        beats.removeFirst(max(old, beats.count - Self.kept))
    }

    private mutating func judgeLast(_ kind: BeatClass?, at time: Double) {
        guard let index = beats.indices.last, beats[index].time == time else { return }
        // The intervals before and after a beat of a strange shape are no atrium's: frequent extrasystoles would look like fibrillation.
        let isStrange = kind == .ventricular || classifier.isDoubtful
        if !isStrange, !isAfterStrange { suspicion = fibrillation.push(beats[index].interval) }
        isAfterStrange = isStrange
        beats[index].isFibrillating = suspicion
        // In fibrillation every beat comes at a time of its own.
        beats[index].kind = kind == .supraventricular && suspicion == true ? .usual : kind
        intervals.add(beats[index])
    }

    /// Says that beats may be missing.
    package mutating func gap() {
        intervals.gap(after: last ?? -.infinity)
        last = nil
        classifier.gap()
        fibrillation = FibrillationDetector()
        (suspicion, isAfterStrange) = (nil, false)
    }

    /// Says that a beat has ended a time without any in a good signal; to be called before it is added.
    package mutating func pause(from start: Double, until end: Double) { intervals.pause(from: start, until: end) }

    /// Says that all beats up to a time were added.
    /// - Parameter silence: when the heart stopped, in a good signal or in a wave without beats; nil where it beats, or nothing is known.
    package mutating func settle(at time: Double, silence: (start: Double, isWave: Bool)?) {
        if let silence {
            intervals.standstill(since: silence.start, at: time, isWave: silence.isWave)
        } else {
            intervals.endStandstill()
            if let last, time - last > 3 { gap() }
        }
    }

    /// Takes the rhythms that have ended, and those that were recognised, since it was last asked.
    package mutating func takeIntervals() -> (intervals: [RhythmInterval], changes: [RhythmChange]) { intervals.take() }

    /// The minute that ends at a time; nil where too little of it is known.
    package func minute(endingAt end: Double) -> RhythmMinute? {
        var minute = RhythmMinute()
        var judged = 0.0
        for beat in beats where beat.time > end - 60 && beat.time <= end {
            guard let kind = beat.kind, let isFibrillating = beat.isFibrillating else { continue }
            judged += beat.interval
            minute.beats += 1
            switch kind {
            case .usual: break
            case .ventricular: minute.ventricular += 1
            case .supraventricular: minute.supraventricular += 1
            }
            if isFibrillating { minute.fibrillation += beat.interval }
        }
        return judged >= Self.enough ? minute : nil
    }
}
