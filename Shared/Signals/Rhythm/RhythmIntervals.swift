/// The rhythms of one heart in succession, each from its first beat to its last, and the couplets and pauses within them.
///
/// A value without I/O or clock. Judged beats come in order. What is found waits until it is taken, 128 of each kind at most.
package struct RhythmIntervals: Sendable, Codable {
    /// A rhythm that goes on is cut after so many seconds, so that it need not end to be stored.
    private static let longest = 600.0
    /// A rhythm that goes on is said again after so many seconds.
    private static let repetition = 60.0
    private static let capacity = 128

    private var ventricular = VentricularPattern()
    private var supraventricular = SupraventricularPattern()
    private var rate = RatePattern()
    private var fibrillationSince: Double?
    private var open: RhythmInterval?
    private var said: RhythmChange?
    private var finished: [RhythmInterval] = []
    private var changes: [RhythmChange] = []

    /// Makes a history in which nothing has happened.
    package init() {}

    /// The rhythm of the last beats, from where it began; nil before the first beat.
    package var current: RhythmInterval? { open }

    /// Takes a beat of which everything is known that will be.
    mutating func add(_ beat: JudgedBeat) {
        if open == nil { open = RhythmInterval(.unknown, start: beat.time - beat.interval, end: beat.time) }
        if let couplet = ventricular.add(beat) { finish(couplet) }
        supraventricular.add(beat)
        fibrillationSince = beat.isFibrillating == true ? fibrillationSince ?? beat.time : nil
        addRate(beat)
        let (rhythm, start) = verdict(beat)
        turn(to: rhythm, from: start, at: beat.time)
        say(at: beat.time)
        cut(at: beat.time)
    }

    /// The rate is that of the rhythm without runs, and anew behind fibrillation.
    private mutating func addRate(_ beat: JudgedBeat) {
        if fibrillationSince != nil { return rate.gap() }
        if ventricular.count < 3, !supraventricular.isRun { rate.add(beat) }
    }

    /// What the beats are now, and where that began; what a run or a succession left is where its last beat was.
    private func verdict(_ beat: JudgedBeat) -> (HeartRhythm, Double) {
        if ventricular.count > 0, let row = ventricular.rhythm { return row }
        if let fibrillationSince { return (.suspectedFibrillation, fibrillationSince) }
        if supraventricular.isRun { return (.supraventricularRun, supraventricular.start) }
        if let succession = ventricular.rhythm { return succession }
        if let rhythm = rate.rhythm { return (rhythm, rate.start) }
        return (beat.isFibrillating == nil ? .unknown : .regular, beat.time)
    }

    /// - Parameter start: where the rhythm began; behind one that goes before it, it begins where that ends.
    private mutating func turn(to rhythm: HeartRhythm, from start: Double, at time: Double) {
        guard let last = open, last.rhythm != rhythm else {
            open?.end = time
            return
        }
        guard rhythm != .sustainedVentricularRun || last.rhythm != .ventricularRun else {
            open = RhythmInterval(rhythm, start: last.start, end: time)
            return
        }
        let place = min(max(rhythm.rank < last.rhythm.rank ? end(of: last.rhythm, at: time) : start, last.start), time)
        if place > last.start { finish(RhythmInterval(last.rhythm, start: last.start, end: place)) }
        open = RhythmInterval(rhythm, start: place, end: time)
    }

    private func end(of rhythm: HeartRhythm, at time: Double) -> Double {
        switch rhythm {
        case .ventricularRun, .sustainedVentricularRun, .idioventricular, .bigeminy, .trigeminy: ventricular.last
        case .supraventricularRun: supraventricular.last
        default: time
        }
    }

    private mutating func say(at time: Double) {
        guard let rhythm = open?.rhythm, said?.rhythm != rhythm || time - (said?.time ?? -.infinity) >= Self.repetition else { return }
        // Two things are never said of one moment.
        let change = RhythmChange(rhythm: rhythm, time: max(time, (said?.time ?? -.infinity) + 0.001))
        said = change
        changes.append(change)
        changes.removeFirst(max(0, changes.count - Self.capacity))
    }

    private mutating func cut(at time: Double) {
        guard let last = open, last.length >= Self.longest else { return }
        finish(last)
        open?.start = time
    }

    private mutating func finish(_ interval: RhythmInterval) {
        finished.append(interval)
        finished.removeFirst(max(0, finished.count - Self.capacity))
    }

    /// Notes that nothing is known from a time on.
    /// - Parameter end: the last beat of which anything is known.
    mutating func gap(after end: Double) {
        guard let last = open, last.rhythm != .asystole, last.rhythm != .wave else { return }
        let end = max(end, last.end)
        close(at: end, .unknown)
        say(at: end)
    }

    /// Ends what goes on: a run with its last beat, anything else at a time, behind which it is not what it was.
    private mutating func close(at time: Double, _ rhythm: HeartRhythm) {
        guard let last = open else { return }
        if last.rhythm != rhythm {
            let place = max(self.end(of: last.rhythm, at: time), last.start)
            if place > last.start { finish(RhythmInterval(last.rhythm, start: last.start, end: place)) }
            open = RhythmInterval(rhythm, start: place, end: time)
        }
        ventricular.gap()
        supraventricular.gap()
        rate.gap()
        fibrillationSince = nil
    }

    /// Notes a time without beats in a good signal, which a beat has ended.
    mutating func pause(from start: Double, until end: Double) {
        if let last = open, last.rhythm == .asystole || last.rhythm == .wave { return close(at: end, .unknown) }
        guard end - start > 2 else { return }
        finish(RhythmInterval(end - start > 3 ? .longPause : .pause, start: start, end: end))
    }

    /// Notes that there has been no beat for so long that the heart stands still, or makes only waves.
    mutating func standstill(since last: Double, at time: Double, isWave: Bool) {
        if open == nil { open = RhythmInterval(.unknown, start: last, end: last) }
        close(at: last, isWave ? .wave : .asystole)
        open?.end = time
        say(at: time)
    }

    /// Notes that a standstill is no longer seen, and no beat ended it: the signal has become bad.
    mutating func endStandstill() {
        guard let last = open, last.rhythm == .asystole || last.rhythm == .wave else { return }
        close(at: last.end, .unknown)
        say(at: last.end)
    }

    /// Takes what has ended, and what was recognised, since it was last asked.
    package mutating func take() -> (intervals: [RhythmInterval], changes: [RhythmChange]) {
        defer { (finished, changes) = ([], []) }
        return (finished, changes)
    }
}
