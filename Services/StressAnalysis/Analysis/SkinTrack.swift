import Signals

/// One person's skin conductance: level and responses of the last minute, from blocks or from single readings.
struct SkinTrack: Sendable {
    /// Single readings are put on this grid, Hz.
    private static let gridRate = 4.0

    private var detector: SkinConductanceDetector?
    private var sequence = BlockSequence()
    private var levels = TimedValues(span: 90, capacity: 200)
    private var responses = TimedValues(span: 90, capacity: 128)
    private var steps: [BlockSequence.Step] = []
    private var events: [SkinEvent] = []
    private var last: (time: Double, value: Double)?

    /// Until when the signal is known.
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
        defer { if time > (last?.time ?? -.infinity) { last = (time, value) } }
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
