import Signals

/// One person's breathing: the times of the breaths of the last minute and a half.
struct BreathTrack: Sendable {
    private var detector: BreathDetector?
    private var sequence = BlockSequence()
    private var times = TimedValues(span: 90, capacity: 128)
    private var steps: [BlockSequence.Step] = []
    private var breaths: [Breath] = []

    /// Until when the signal is known.
    var end: Double? { sequence.end }

    /// Blocks that came twice or too late.
    var dropped: Int { sequence.dropped }

    /// What is wrong with the signal; nil where nothing is or where there is none.
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
            case .skip(let count): detector?.skip(count)
            case .samples(let samples): detector?.process(samples.span, into: &breaths)
            }
            for breath in breaths { times.add(Double(breath.depth), at: sequence.time(of: breath.position)) }
            breaths.removeAll(keepingCapacity: true)
        }
    }

    /// The pattern of the minute up to `end`; nil where there are too few breaths.
    func pattern(through end: Double) -> BreathingPattern? { BreathingPattern(times: times.times(after: end - 60, through: end)) }
}
