import Signals

/// One person's heart: beats from the electrocardiogram or else the pulse, as corrected intervals of the last five minutes.
struct HeartTrack: Sendable, Codable {
    private static let kept = 1500
    /// A hole in the electrocardiogram that is no longer, half a narrow QRS complex, hides no beat, in seconds: a device's clock that trembles.
    private static let harmless = 0.04

    /// Without what lasts for one block only.
    private enum CodingKeys: CodingKey {
        case intervals, rhythm, electrocardiogram, pulse, sequence, pulseSequence, cleaner, lastBeat, device, beats, flat, sway, pulseSway
    }

    private(set) var intervals: [RRInterval] = []
    /// The rhythm that the electrocardiogram's beats tell of; a pulse is too coarse for it.
    private(set) var rhythm = RhythmAnalysis()
    private var electrocardiogram: RPeakDetector?
    private var pulse: PulseDetector?
    private var sequence = BlockSequence()
    private var pulseSequence = BlockSequence()
    private var cleaner = RRCleaner()
    private var lastBeat: Double?
    /// The clock of a device that measures intervals; nil before the first.
    private var device: IntervalClock?
    /// The beats of the electrocardiogram as they came; nil before the first.
    private var beats: Occurrences?
    /// The line without beats; nil if there never was one.
    private var flat: Flatness?
    /// The breathing in the beats of the electrocardiogram, and of the pulse; nil before the first.
    private var sway, pulseSway: BreathModulation?
    private var steps: [BlockSequence.Step] = []
    private var peaks: [RPeak] = []
    private var pulses: [PulseBeat] = []

    /// The end of the known electrocardiogram.
    var end: Double? { sequence.end }

    /// The end of the known blood-volume pulse.
    var pulseEnd: Double? { pulseSequence.end }

    /// Blocks that came twice or too late.
    var dropped: Int { sequence.dropped + pulseSequence.dropped }

    /// The time of the last beat of the electrocardiogram; nil where none is known.
    var lastElectrocardiogramBeat: Double? { beats?.last }

    /// The quality of the electrocardiogram; nil without one.
    var quality: ECGQuality? { electrocardiogram?.quality }

    /// The fault of the pulse signal; nil for a good signal and for none.
    var pulseFault: SignalFault? { pulse?.fault }

    /// A Boolean value that indicates whether the electrocardiogram is sampled at a rate that its detector is made for.
    var isRateKnown: Bool { sequence.rate.map(RPeakDetector.rates.contains) ?? true }

    /// The same of the blood-volume pulse.
    var isPulseRateKnown: Bool { pulseSequence.rate.map(PulseDetector.rates.contains) ?? true }

    /// A Boolean value that indicates whether the pulse comes too fast to be told.
    var isPulseTooFast: Bool { pulse?.isTooFast ?? false }

    /// Takes a block of the electrocardiogram.
    /// - Parameter isMoving: the wearer moves, and shakes the cables.
    mutating func addECG(_ block: SampleBlock, isMoving: Bool = false) {
        steps.removeAll(keepingCapacity: true)
        var position = sequence.position
        sequence.add(block, into: &steps)
        for step in steps {
            switch step {
            case .restart(let rate):
                electrocardiogram?.finish(into: &peaks)
                peaks.removeAll(keepingCapacity: true)
                electrocardiogram = RPeakDetector(rate: rate)
                position = 0
                breakOff(until: sequence.time(of: position))
            case .skip(let count):
                electrocardiogram?.skip(count, into: &peaks)
                takePeaks()
                position += Int64(count)
                skipped(count, until: sequence.time(of: position))
            case .samples(let samples):
                if isRateKnown { process(samples, from: position, isMoving) }
                position += Int64(samples.count)
            }
        }
    }

    /// Takes samples, a second at a time: what their quality is says what may be made of its beats, however long a block is.
    private mutating func process(_ samples: ArraySlice<Float>, from position: Int64, _ isMoving: Bool) {
        let piece = max(1, Int(sequence.rate ?? 1))
        for start in stride(from: samples.startIndex, to: samples.endIndex, by: piece) {
            let end = min(start + piece, samples.endIndex)
            electrocardiogram?.process(samples[start..<end].span, into: &peaks)
            takePeaks()
            watch(until: sequence.time(of: position + Int64(end - samples.startIndex)), isMoving)
        }
    }

    /// Notes what the newest second is worth: a line without anything from a body is a hole, and in noise beats are missed. In a wave there are none.
    private mutating func watch(until time: Double, _ isMoving: Bool) {
        guard let quality else { return }
        if quality.fault == .flat || quality.fault == .stepwise {
            if let silence = beats?.absence(at: time) {
                flat = flat ?? Flatness()
                flat?.note(at: time, silence: silence)
            }
            beats?.breakOff(until: time)
        } else {
            if !quality.isUsable { beats?.lose(until: time) }
            if !quality.isGood, !quality.isWave || isMoving { beats?.doubt(until: time) }
        }
    }

    /// Notes missing samples. So few hide no beat.
    private mutating func skipped(_ count: Int, until time: Double) {
        guard let rate = sequence.rate, Double(count) > Self.harmless * rate else { return }
        breakOff(until: time, length: Double(count) / rate)
    }

    /// Takes a block of the blood-volume pulse; it counts only while there is no electrocardiogram.
    mutating func addPulse(_ block: SampleBlock) {
        steps.removeAll(keepingCapacity: true)
        pulseSequence.add(block, into: &steps)
        for step in steps {
            switch step {
            case .restart(let rate): pulse = PulseDetector(rate: rate)
            case .skip(let count): pulse?.skip(count)
            case .samples(let samples): if isPulseRateKnown { pulse?.process(samples.span, into: &pulses) }
            }
            let isNeeded = end.map { $0 < block.start - 10 } ?? true
            if isNeeded { take(pulses.map(\.position), pulseSequence) }
            if pulseSway == nil { pulseSway = BreathModulation() }
            for beat in pulses { pulseSway?.add(at: pulseSequence.time(of: beat.position), size: beat.level) }
            pulses.removeAll(keepingCapacity: true)
        }
    }

    /// Takes an interval that a device measured itself, where there is no electrocardiogram.
    /// - Parameter sequence: tells apart, and puts in order, those that came at one time.
    mutating func addInterval(milliseconds: Double, at time: Double, sequence: Int32 = 0) {
        guard end.map({ $0 < time - 10 }) ?? true else { return }
        var clock = device ?? IntervalClock()
        guard time >= lastBeat ?? -.infinity, let place = clock.locate(milliseconds / 1000, stamp: time, sequence: sequence) else { return }
        (device, lastBeat) = (clock, time)
        if place.isAfterGap { cleaner.gap() }
        cleaner.moveBack(place.earlier, by: milliseconds / 1000)
        cleaner.push(milliseconds: milliseconds, at: time, into: &intervals)
        bound()
    }

    private mutating func takePeaks() {
        defer { peaks.removeAll(keepingCapacity: true) }
        guard !peaks.isEmpty else { return }
        take(peaks.map(\.position), sequence)
        let (isUsable, isGood) = (quality?.isCalm ?? false, quality?.isQuiet ?? false)
        var known = beats ?? Occurrences()
        if sway == nil { sway = BreathModulation() }
        for peak in peaks {
            let time = sequence.time(of: peak.position)
            if let silence = known.silence(at: time) { rhythm.pause(from: time - silence, until: time) }
            rhythm.add(at: time, shape: peak.shape, isUsable: isUsable, isGood: isGood)
            known.add(time)
            sway?.add(at: time, size: peak.amplitude)
        }
        beats = known
        flat?.end()
    }

    private mutating func take(_ positions: [Int64], _ sequence: BlockSequence) {
        for position in positions {
            let time = sequence.time(of: position)
            defer { lastBeat = time }
            guard let lastBeat, time > lastBeat else { continue }
            if time - lastBeat > 3 {
                cleaner.gap()
            } else {
                cleaner.push(milliseconds: 1000 * (time - lastBeat), at: time, into: &intervals)
            }
        }
        bound()
    }

    /// - Parameter length: of the hole, in seconds; nil where what is behind it may be another signal.
    private mutating func breakOff(until time: Double, length: Double? = nil) {
        lastBeat = nil
        beats?.breakOff(until: time, length: length)
        if length == nil { flat?.end() }
        cleaner.gap()
        rhythm.gap()
    }

    private mutating func bound() {
        guard let end = intervals.last?.time else { return }
        let old = intervals.prefix { $0.time < end - 310 }.count
        intervals.removeFirst(max(old, intervals.count - Self.kept))
    }

    /// The intervals that ended later than `start`, up to `end`.
    func intervals(after start: Double, through end: Double) -> ArraySlice<RRInterval> {
        let from = intervals.firstIndex { $0.time > start } ?? intervals.endIndex
        let to = intervals.lastIndex { $0.time <= end }.map { $0 + 1 } ?? intervals.startIndex
        return from < to ? intervals[from..<to] : []
    }
}

extension HeartTrack {
    /// The time after a beat until it is certain, in seconds: two for the second opinion.
    private static let decided = 2.5

    /// Beats a minute of the electrocardiogram, over the 15 s before a time.
    func rate(at time: Double) -> Double? { beats?.rate(over: 15, at: time) }

    /// The longest time without a beat since the report before, as far as the beats are certain; nil where none is expected. In a wave without beats
    /// the time before it counts, in which some may have been missed.
    func pause(at time: Double, isWave: Bool) -> Double? {
        beats?.longestPause(at: certain(time), within: WearerAnalysis.step + 1, isDoubted: isWave)
    }

    /// The breathing that the beats of a good signal tell of; nil where they do not. Noise and movement make beats of other sizes.
    func breathing(at time: Double) -> BreathModulation.Estimate? {
        let isGood = quality?.isGood ?? false, isPulseGood = pulseFault == nil && !isPulseTooFast
        return BreathModulation.estimate([isGood ? sway : nil, isPulseGood ? pulseSway : nil].compactMap(\.self), through: certain(time))
    }

    /// Takes the intervals of the usual beat since they were last taken; nil where noise or too few beats hide them.
    mutating func takeBeatIntervals() -> BeatIntervals? { electrocardiogram?.takeAverage().flatMap(BeatIntervals.init) }

    /// The time since the last beat, since the last hole, or since beats may have been missed.
    func silence(at time: Double) -> Double? { beats?.silence(at: certain(time)) }

    /// Brings the rhythm up to a report: a heart that stands still has another, and of a signal that has ended nothing is known.
    mutating func settleRhythm(at time: Double, isLive: Bool, isMoving: Bool) {
        guard isLive, let quality else { return rhythm.gap() }
        let (isWave, certain) = (quality.isWave && !isMoving, certain(time))
        let silence = isWave ? beats?.absence(at: certain) : quality.isGood ? beats?.silence(at: certain) : nil
        let isStill = silence ?? 0 >= WearerAnalysis.asystole
        rhythm.settle(at: certain, silence: isStill ? silence.map { (certain - $0, isWave) } : nil)
    }

    /// Takes the rhythms that have ended, and those that were recognised, since it was last asked.
    mutating func takeRhythm() -> (intervals: [RhythmInterval], changes: [RhythmChange]) { rhythm.takeIntervals() }

    private func certain(_ time: Double) -> Double { min(time, (end ?? time) - 2 * Self.decided) + Self.decided }

    /// The time for which there is nothing from a body where there had been beats: 0 for a minute after it ended, then nil.
    func flatness(at time: Double) -> Double? { flat?.seconds(at: certain(time)) }
}
