import Signals

/// One person's heart: beats from the electrocardiogram or else the pulse, as corrected intervals of the last five minutes.
struct HeartTrack: Sendable, Codable {
    private static let kept = 1500

    /// Without what lasts for one block only.
    private enum CodingKeys: CodingKey {
        case intervals, rhythm, electrocardiogram, pulse, sequence, pulseSequence, cleaner, lastBeat
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
    private var steps: [BlockSequence.Step] = []
    private var peaks: [RPeak] = []
    private var pulses: [Int64] = []

    /// The end of the known electrocardiogram.
    var end: Double? { sequence.end }

    /// The end of the known blood-volume pulse.
    var pulseEnd: Double? { pulseSequence.end }

    /// Blocks that came twice or too late.
    var dropped: Int { sequence.dropped + pulseSequence.dropped }

    /// The quality of the electrocardiogram; nil without one.
    var quality: ECGQuality? { electrocardiogram?.quality }

    /// The fault of the pulse signal; nil for a good signal and for none.
    var pulseFault: SignalFault? { pulse?.fault }

    /// Takes a block of the electrocardiogram.
    mutating func addECG(_ block: SampleBlock) {
        steps.removeAll(keepingCapacity: true)
        sequence.add(block, into: &steps)
        for step in steps {
            switch step {
            case .restart(let rate):
                electrocardiogram?.finish(into: &peaks)
                peaks.removeAll(keepingCapacity: true)
                electrocardiogram = RPeakDetector(rate: rate)
                breakOff()
            case .skip(let count):
                electrocardiogram?.skip(count, into: &peaks)
                take(peaks)
                breakOff()
            case .samples(let samples):
                electrocardiogram?.process(samples.span, into: &peaks)
                take(peaks)
            }
            peaks.removeAll(keepingCapacity: true)
        }
    }

    /// Takes a block of the blood-volume pulse; it counts only while there is no electrocardiogram.
    mutating func addPulse(_ block: SampleBlock) {
        steps.removeAll(keepingCapacity: true)
        pulseSequence.add(block, into: &steps)
        for step in steps {
            switch step {
            case .restart(let rate): pulse = PulseDetector(rate: rate)
            case .skip(let count): pulse?.skip(count)
            case .samples(let samples): pulse?.process(samples.span, into: &pulses)
            }
            let isNeeded = end.map { $0 < block.start - 10 } ?? true
            if isNeeded { take(pulses, pulseSequence) }
            pulses.removeAll(keepingCapacity: true)
        }
    }

    /// Takes an interval that a device measured itself, where there is no electrocardiogram.
    mutating func addInterval(milliseconds: Double, at time: Double) {
        guard end.map({ $0 < time - 10 }) ?? true, time > (lastBeat ?? -.infinity) else { return }
        if let lastBeat, time - lastBeat > 3 { cleaner.gap() }
        lastBeat = time
        cleaner.push(milliseconds: milliseconds, at: time, into: &intervals)
        bound()
    }

    private mutating func take(_ peaks: [RPeak]) {
        guard !peaks.isEmpty else { return }
        take(peaks.map(\.position), sequence)
        let isUsable = quality?.isUsable ?? false
        for peak in peaks { rhythm.add(at: sequence.time(of: peak.position), shape: peak.shape, isUsable: isUsable) }
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

    private mutating func breakOff() {
        lastBeat = nil
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

/// One person's breathing: the times of the breaths of the last minute and a half.
struct BreathTrack: Sendable, Codable {
    private enum CodingKeys: CodingKey {
        case detector, sequence, times, holes
    }

    private var detector: BreathDetector?
    private var sequence = BlockSequence()
    private var times = TimedValues(span: 90, capacity: 128)
    /// The times of the breaths behind which the signal has a hole; nil for none.
    private var holes: [Double]?
    private var steps: [BlockSequence.Step] = []
    private var breaths: [Breath] = []

    /// The end of the known signal.
    var end: Double? { sequence.end }

    /// Blocks that came twice or too late.
    var dropped: Int { sequence.dropped }

    /// The fault of the signal; nil for a good signal and for none.
    var fault: SignalFault? { detector?.fault }

    /// Takes a block.
    mutating func add(_ block: SampleBlock) {
        steps.removeAll(keepingCapacity: true)
        sequence.add(block, into: &steps)
        for step in steps {
            switch step {
            case .restart(let rate):
                detector = BreathDetector(rate: rate)
                times.removeAll()
                holes = nil
            case .skip(let count): skip(count)
            case .samples(let samples): detector?.process(samples.span, into: &breaths)
            }
            for breath in breaths { times.add(Double(breath.depth), at: sequence.time(of: breath.position)) }
            breaths.removeAll(keepingCapacity: true)
        }
    }

    /// Notes a hole that is not bridged: from the last breath to the next it is not known how many there were.
    private mutating func skip(_ count: Int) {
        detector?.skip(count)
        guard detector?.fault == .missing, let last = times.items.last?.time, holes?.last != last else { return }
        holes = (holes ?? []).filter { $0 > last - 90 } + [last]
    }

    /// The pattern of the minute up to `end`; nil where there are too few breaths.
    func pattern(through end: Double) -> BreathingPattern? {
        var stretches: [[Double]] = [[]]
        for time in times.times(after: end - 60, through: end) {
            stretches[stretches.count - 1].append(time)
            if holes?.contains(time) == true { stretches.append([]) }
        }
        return BreathingPattern(stretches: stretches)
    }
}

/// One person's skin conductance: level and responses of the last minute, from blocks or from single readings.
struct SkinTrack: Sendable, Codable {
    /// Single readings are put on this grid, Hz.
    private static let gridRate = 4.0

    private enum CodingKeys: CodingKey {
        case detector, sequence, levels, responses, last
    }

    private var detector: SkinConductanceDetector?
    private var sequence = BlockSequence()
    private var levels = TimedValues(span: 90, capacity: 200)
    private var responses = TimedValues(span: 90, capacity: 128)
    private var steps: [BlockSequence.Step] = []
    private var events: [SkinEvent] = []
    private var last: TimedValues.Item?

    /// The end of the known signal.
    var end: Double? { sequence.end }

    /// Blocks that came twice or too late.
    var dropped: Int { sequence.dropped }

    /// Takes a block of samples in µS.
    mutating func add(_ block: SampleBlock) {
        steps.removeAll(keepingCapacity: true)
        sequence.add(block, into: &steps)
        for step in steps {
            switch step {
            case .restart(let rate): detector = SkinConductanceDetector(rate: rate)
            case .skip(let count): detector?.skip(count)
            case .samples(let samples): process(samples)
            }
        }
    }

    /// Takes a single reading; between two that are at most 2.5 s apart the signal is interpolated.
    mutating func add(reading value: Double, at time: Double) {
        defer { if time > (last?.time ?? -.infinity) { last = TimedValues.Item(time: time, value: value) } }
        guard let last, time > last.time else { return }
        let first = (last.time * Self.gridRate).rounded(.down) + 1
        let final = (time * Self.gridRate).rounded(.down)
        guard time - last.time <= 2.5, final >= first else { return }
        let samples = stride(from: first, through: final, by: 1).map { tick in
            Float(last.value + (value - last.value) * (tick / Self.gridRate - last.time) / (time - last.time))
        }
        add(SampleBlock(start: first / Self.gridRate, period: 1 / Self.gridRate, samples: samples))
    }

    private mutating func process(_ samples: ArraySlice<Float>) {
        detector?.process(samples.span, into: &events)
        for case .response(let response) in events {
            responses.add(Double(response.amplitude), at: sequence.time(of: response.peak))
        }
        events.removeAll(keepingCapacity: true)
        // The level needs no more than one value a block, blocks being seconds long at the most where they matter.
        if let level = detector?.level, let end = sequence.end { levels.add(Double(level), at: end) }
    }

    /// The median level of the minute up to `end`, µS.
    func level(through end: Double) -> Double? { levels.median(after: end - 60, through: end) }

    /// The amplitudes of the responses of the minute up to `end`, µS.
    func amplitudes(through end: Double) -> [Double] { responses.values(after: end - 60, through: end) }
}
