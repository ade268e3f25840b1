/// The ventricular-like beats of late: how many in a row, and how many beats lie between them. A value without I/O.
struct VentricularPattern: Sendable, Codable {
    /// At this interval the rate is 100 a minute.
    static let fast = 0.6
    /// After so many seconds a run is sustained.
    private static let sustained = 30.0
    /// As many in a row make a run, and as many equal distances bigeminy or trigeminy.
    private static let run = 3

    /// The beats of the row that goes on.
    private(set) var count = 0
    private(set) var start = 0.0
    private(set) var last = 0.0
    /// The intervals before the last two beats of the row.
    private var older = 0.0
    private var newer = 0.0
    private var isFast = false
    /// Other beats since the last one.
    private var between = 0
    /// The distances of two, and of three, in succession, and where each succession began.
    private var second = Succession()
    private var third = Succession()

    private struct Succession: Sendable, Codable {
        var count = 0
        var start = 0.0

        mutating func extend(from time: Double) {
            if count == 0 { start = time }
            count += 1
        }
    }

    /// Takes a judged beat; returns a couplet that it ended.
    mutating func add(_ beat: JudgedBeat) -> RhythmInterval? {
        guard beat.kind == .ventricular else { return end() }
        if count == 0 {
            note(distance: between, at: beat.time)
            (start, isFast) = (beat.time, false)
        }
        (older, newer) = (newer, beat.interval)
        count += 1
        (between, last) = (0, beat.time)
        if count == 2 { (second.count, third.count) = (0, 0) }
        if count >= Self.run { pace() }
        return nil
    }

    /// A row is as fast as its last two intervals, with a tenth of leeway once that is known. Two intervals are three beats.
    private mutating func pace() {
        let wasFast = isFast
        isFast = (older + newer) / 2 < (wasFast ? 1.1 * Self.fast : Self.fast)
        if isFast != wasFast { start = last - older - newer }
    }

    private mutating func end() -> RhythmInterval? {
        between += 1
        if between > 1 { second.count = 0 }
        if between > 2 { third.count = 0 }
        defer { count = 0 }
        return count == 2 ? RhythmInterval(.couplet, start: start, end: last) : nil
    }

    private mutating func note(distance: Int, at time: Double) {
        if distance == 1 { second.extend(from: last) } else { second.count = 0 }
        if distance == 2 { third.extend(from: last) } else { third.count = 0 }
    }

    /// The rhythm that the beats make, and when it began; nil for none.
    var rhythm: (rhythm: HeartRhythm, start: Double)? {
        if count >= Self.run {
            guard isFast else { return (.idioventricular, start) }
            return (last - start >= Self.sustained ? .sustainedVentricularRun : .ventricularRun, start)
        }
        // In a row of two the succession has ended.
        guard count < 2 else { return nil }
        if second.count >= Self.run - 1 { return (.bigeminy, second.start) }
        return third.count >= Self.run - 1 ? (.trigeminy, third.start) : nil
    }

    /// Forgets everything, behind a gap.
    mutating func gap() { self = VentricularPattern() }
}

/// Early beats of the usual shape in a row. A value without I/O.
struct SupraventricularPattern: Sendable, Codable {
    private static let run = 3
    /// So much faster than before a run stays, relative to the interval before it.
    private static let faster = 0.85

    private var count = 0
    private(set) var start = 0.0
    private(set) var last = 0.0
    /// The seconds of the row but for its first interval.
    private var length = 0.0
    /// The mean interval outside of runs; 0 before the first.
    private var usual = 0.0

    /// Whether it is a run by its number and its mean rate.
    var isRun: Bool { count >= Self.run && length < VentricularPattern.fast * Double(count - 1) }

    /// Takes a judged beat. Within a run the mean of the last beats follows it, so that later ones no longer count as early.
    mutating func add(_ beat: JudgedBeat) {
        let isEarly = beat.kind == .supraventricular
        if isEarly || isRun && beat.kind == .usual && beat.interval < Self.faster * usual {
            if count == 0 { (start, length) = (beat.time, 0) } else { length += beat.interval }
            count += 1
            last = beat.time
        } else {
            count = 0
            if beat.kind != .ventricular { usual += (usual == 0 ? 1 : 1 / 8) * (beat.interval - usual) }
        }
    }

    /// Forgets the row, behind a gap.
    mutating func gap() { self = SupraventricularPattern() }
}

/// Whether the heart beats slowly or fast, by the mean of eight intervals. A value without I/O.
struct RatePattern: Sendable, Codable {
    private static let window = 8
    /// In seconds an interval: 50 and 100 a minute; it ends at 55 and 95.
    private static let (slow, fast) = (60.0 / 50, 60.0 / 100)
    private static let (slowEnd, fastEnd) = (60.0 / 55, 60.0 / 95)

    private var intervals: [Double] = []
    private(set) var rhythm: HeartRhythm?
    /// When the eight intervals began that showed it first.
    private(set) var start = 0.0

    mutating func add(_ beat: JudgedBeat) {
        intervals.append(beat.interval)
        if intervals.count > Self.window { intervals.removeFirst() }
        guard intervals.count == Self.window else { return }
        let sum = intervals.reduce(0, +)
        let before = rhythm
        rhythm = next(sum / Double(Self.window))
        if rhythm != before { start = beat.time - sum }
    }

    private func next(_ mean: Double) -> HeartRhythm? {
        if mean > (rhythm == .bradycardia ? Self.slowEnd : Self.slow) { return .bradycardia }
        return mean < (rhythm == .tachycardia ? Self.fastEnd : Self.fast) ? .tachycardia : nil
    }

    mutating func gap() { self = RatePattern() }
}
