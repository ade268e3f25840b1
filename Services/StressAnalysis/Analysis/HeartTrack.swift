import Signals

/// One person's heart: beats from the electrocardiogram or else the pulse, as corrected intervals of the last five minutes.
struct HeartTrack: Sendable {
    private static let kept = 1500

    private(set) var intervals: [RRInterval] = []
    private var electrocardiogram: RPeakDetector?
    private var pulse: PulseDetector?
    private var sequence = BlockSequence()
    private var pulseSequence = BlockSequence()
    private var cleaner = RRCleaner()
    private var lastBeat: Double?
    private var steps: [BlockSequence.Step] = []
    private var peaks: [RPeak] = []
    private var pulses: [Int64] = []

    /// Until when the electrocardiogram is known.
    var end: Double? { sequence.end }

    /// Until when the blood-volume pulse is known.
    var pulseEnd: Double? { pulseSequence.end }

    /// Blocks that came twice or too late.
    var dropped: Int { sequence.dropped + pulseSequence.dropped }

    /// How far the electrocardiogram can be trusted; nil where there is none.
    var quality: ECGQuality? { electrocardiogram?.quality }

    /// What is wrong with the pulse; nil where nothing is or where there is no pulse.
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
                take(peaks.map(\.position), sequence)
                breakOff()
            case .samples(let samples):
                electrocardiogram?.process(samples.span, into: &peaks)
                take(peaks.map(\.position), sequence)
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
