import Signals

/// One person's breathing: the times of the breaths of the last minute and a half.
struct BreathTrack: Sendable, Codable {
    /// No breath stands still for so long that a sensor sends the same number all the time, in seconds.
    private static let longestConstant = 5.0

    private enum CodingKeys: CodingKey {
        case detector, sequence, times, holes, resumed, hidden, stretch, isEmptyBefore, constantSince, constantUntil, flat
    }

    private var detector: BreathDetector?
    private var sequence = BlockSequence()
    private var times = TimedValues(span: 90, capacity: 128)
    /// The times of the breaths behind which the signal has a hole; nil for none.
    private var holes: [Double]?
    /// The end of the last hole; nil for none.
    private var resumed: Double?
    /// The time since the last breath that holes may hide, were the breaths as usual; nil where it is not known.
    private var hidden: Double?
    /// The signal since the last hole; nil before the first sample behind it.
    private var stretch: Stretch?
    /// Whether there was no movement of breath before the last hole, and it is too short for a whole breath.
    private var isEmptyBefore: Bool?
    /// The beginning of the stretch in which the signal has not changed at all; nil while it does.
    private var constantSince: Double?
    /// The end of the last one that was too long for a body; nil for none.
    private var constantUntil: Double?
    /// The line without breaths; nil if there never was one.
    private var flat: Flatness?
    private var steps: [BlockSequence.Step] = []
    private var breaths: [Breath] = []

    /// How far a signal goes between two holes.
    private struct Stretch: Sendable, Codable {
        var low: Float, high: Float, seconds: Double
    }

    /// The end of the known signal.
    var end: Double? { sequence.end }

    /// Blocks that came twice or too late.
    var dropped: Int { sequence.dropped }

    /// The fault of the signal; nil for a good signal and for none.
    var fault: SignalFault? { detector?.fault }

    /// A Boolean value that indicates whether breaths come too fast to be told apart.
    var isTooFast: Bool { detector?.isTooFast ?? false }

    /// A Boolean value that indicates whether the signal is sampled at a rate that its detector is made for.
    var isRateKnown: Bool { sequence.rate.map(BreathDetector.rates.contains) ?? true }

    /// A Boolean value that indicates whether breaths would be seen in the signal.
    var isSound: Bool { isRateKnown && (fault == nil || fault == .clipped) && !isTooFast }

    /// The time of the last breath; nil where none is known.
    var lastBreath: Double? { times.items.last?.time }

    /// Takes a block.
    mutating func add(_ block: SampleBlock) {
        steps.removeAll(keepingCapacity: true)
        var position = sequence.position
        sequence.add(block, into: &steps)
        for step in steps {
            switch step {
            case .restart(let rate):
                detector = BreathDetector(rate: rate)
                times.removeAll()
                (holes, resumed, hidden, constantSince, constantUntil) = (nil, nil, nil, nil, nil)
                flat?.end()
                position = 0
            case .skip(let count):
                position += Int64(count)
                skip(count, until: sequence.time(of: position))
            case .samples(let samples):
                if isRateKnown { process(samples, from: position) }
                position += Int64(samples.count)
            }
        }
    }

    /// Takes samples, a second at a time, so that a line that is flat within a long block is noticed.
    private mutating func process(_ samples: ArraySlice<Float>, from position: Int64) {
        let piece = max(1, Int(sequence.rate ?? 1))
        for start in stride(from: samples.startIndex, to: samples.endIndex, by: piece) {
            let end = min(start + piece, samples.endIndex)
            detector?.process(samples[start..<end].span, into: &breaths)
            takeBreaths()
            let times = [start, end].map { sequence.time(of: position + Int64($0 - samples.startIndex)) }
            watch(samples[start..<end], from: times[0], until: times[1])
        }
    }

    private mutating func takeBreaths() {
        for breath in breaths {
            if !breath.isNext { breakOff() }
            times.add(Double(breath.depth), at: sequence.time(of: breath.position))
            (hidden, isEmptyBefore) = (nil, nil)
            flat?.end()
        }
        breaths.removeAll(keepingCapacity: true)
    }

    /// Notes a line without anything from a body in the newest second; where nothing changes at all it is a hole.
    private mutating func watch(_ samples: ArraySlice<Float>, from start: Double, until time: Double) {
        let numbers = samples.lazy.filter { $0.isFinite }
        if let low = numbers.min(), let high = numbers.max() {
            let known = stretch ?? Stretch(low: low, high: high, seconds: 0)
            stretch = Stretch(low: min(known.low, low), high: max(known.high, high), seconds: known.seconds + time - start)
        }
        constantSince = samples.allSatisfy { $0 == samples.first } ? constantSince ?? start : nil
        if let constantSince, time - constantSince >= Self.longestConstant {
            constantUntil = time
            breakOff()
        }
        guard fault == .flat || fault == .stepwise, times.items.count > 2, let last = times.items.last?.time else { return }
        flat = flat ?? Flatness()
        flat?.note(at: time, silence: time - max(last, resumed ?? last))
    }

    /// Notes a hole that is not bridged: from the last breath to the next it is not known how many there were.
    private mutating func skip(_ count: Int, until time: Double) {
        detector?.skip(count)
        guard detector?.fault == .missing else { return }
        resumed = max(resumed ?? time, time)
        hide(Double(count) / (sequence.rate ?? 1))
        breakOff()
    }

    /// Notes how much of the silence a hole may hide: one that is shorter than breaths are apart hides one at most, and none where it is too short
    /// for a whole breath and nothing moves on either side of it.
    private mutating func hide(_ length: Double) {
        defer { stretch = nil }
        guard let last = times.items.last?.time else { return }
        let before = holes?.last == last ? hiddenSoFar : 0
        if let before, let usual, length < usual {
            (hidden, isEmptyBefore) = (before + length, isStill && length <= Self.longestPart * usual)
        } else {
            (hidden, isEmptyBefore) = (nil, nil)
        }
    }

    /// The share of the usual time between breaths within which none begins and ends.
    private static let longestPart = 0.7

    /// What the holes hide, the last one by what is known behind it.
    private var hiddenSoFar: Double? {
        guard let hidden else { return nil }
        if isEmptyBefore == true, isStill { return hidden }
        return usual.map { hidden + $0 }
    }

    /// Returns whether the signal has moved since the last hole by less than a quarter of the usual breath, for a second at least.
    private var isStill: Bool {
        guard let stretch, stretch.seconds >= 1, let depth = Median.of(times.items.map(\.value)) else { return false }
        return Double(stretch.high - stretch.low) < 0.25 * depth
    }

    /// The time between breaths of late, in seconds.
    private var usual: Double? { times.items.last.flatMap { pattern(through: $0.time) }.map { 60 / $0.rate } }

    /// Notes that it is not known how many breaths there were between the last one and the next.
    private mutating func breakOff() {
        guard let last = times.items.last?.time, holes?.last != last else { return }
        holes = (holes ?? []).filter { $0 > last - 90 } + [last]
    }

    /// The pattern of the minute up to `end`; nil where there are too few breaths.
    func pattern(through end: Double) -> BreathingPattern? {
        var stretches: [[Double]] = [[]]
        for time in times.times(after: end - 60, through: end) {
            stretches[stretches.count - 1].append(time)
            if holes?.contains(time) == true { stretches.append([]) }
        }
        return BreathingPattern(stretches: stretches, open: passedOver != nil ? nil : stretches.last?.last.map { end - $0 })
    }

    /// The longest time without a breath since the report before; nil where none is expected, as there never was one.
    func pause(at time: Double) -> Double? {
        guard let silence = silence(at: time) else { return nil }
        let ends = times.times(after: time - 60, through: time)
        let last = zip(ends.dropFirst(), ends).filter { $0 > time - WearerAnalysis.step - 1 && holes?.contains($1) != true }.map { $0 - $1 }
        return max(min(silence, passedOver.map { max(0, time - $0) } ?? silence), last.max() ?? 0)
    }

    /// The time of the last wave since the last breath that may be a breath; nil for none.
    private var passedOver: Double? { detector?.passedOver.map { sequence.time(of: $0) } }

    /// The time since the last breath, of which the holes hide as much as they can: all before the last of them ended, or one each.
    private func silence(at time: Double) -> Double? {
        guard times.items.count > 2, let last = times.items.last?.time, let end else { return nil }
        let (now, constant) = (min(end, time + 3), constantUntil ?? last)
        let sparse = constant > last ? 0 : hiddenSoFar.map { now - last - $0 } ?? 0
        return max(0, now - max(last, resumed ?? last, constant), sparse)
    }

    /// The time for which there is nothing from a body where there had been breaths: 0 for a minute after it ended, then nil.
    func flatness(at time: Double) -> Double? { flat?.seconds(at: min(end ?? time, time + 3)) }
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
