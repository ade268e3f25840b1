/// A breath in an airflow or chest signal.
package struct Breath: Hashable, Sendable {
    /// The sample of its highest point, counted from the first sample that the detector was given.
    package var position: Int64
    /// From the lowest point before to the highest, in the filtered signal's unit.
    package var depth: Float
    /// False where waves came since the one before that may have been breaths, so that it is not known how many there were.
    package var isNext = true
}

/// Finds breaths in an airflow, impedance or chest-band signal, sample by sample, at 2 to 2000 samples a second.
///
/// A value without I/O; one a signal. Depends on the samples alone, never on how they were cut into calls; allocates
/// nothing a sample. Band-pass 0.08–0.5 Hz, then a zigzag: a turn counts once the signal has gone back by a fifth of the
/// median of the last eight swings, and by 15 % of the recent range. At least 1.5 s a breath, so up to
/// 40 a minute, as the heart moves the chest too; 0.7 s, up to 85, where it is as large as the breaths are.
package struct BreathDetector: Sendable, Codable {
    /// The rates that it is made for, samples a second; with a hundredth beyond them nothing is wrong but the device's clock.
    package static let rates = 1.98...2020

    private var tracker: WaveTracker
    /// The last wave since the last breath that came while the signal seemed to carry nothing from a body.
    private var withheld: Int64?

    /// Makes a detector for a signal of `rate` samples a second, brought to 2–2000 Hz.
    package init(rate: Double) {
        let rate = min(max(rate, 2), 2000)
        tracker = WaveTracker(
            rate: rate, bridge: 1, filter: Butterworth.bandPass(order: 1, low: 0.08, high: 0.5, rate: rate),
            zigzag: Zigzag(rate: rate, shortest: 1.5, least: 0.7, memory: 60, share: 0.2),
            integrity: SignalIntegrity(rate: rate, step: 0.5, window: 15, floor: 1e-6))
    }

    /// Samples a second.
    package var rate: Double { tracker.rate }

    /// The problem with the signal itself; nil where nothing is.
    package var fault: SignalFault? { tracker.fault }

    /// A Boolean value that indicates whether breaths come too fast to be told apart.
    package var isTooFast: Bool { tracker.isTooFast }

    /// The sample of the last wave since the last breath that may have been one: until then it is not known that nobody breathed. Nil for none.
    package var passedOver: Int64? { withheld.map { max($0, tracker.passedOver ?? $0) } ?? tracker.passedOver }

    /// Takes samples and appends the breaths that they made certain. What is no number counts as missing.
    package mutating func process(_ samples: Span<Float>, into breaths: inout [Breath]) {
        for index in samples.indices {
            if let breath = tracker.take(samples[index]) { add(breath, to: &breaths) }
        }
    }

    private mutating func add(_ breath: Breath, to breaths: inout [Breath]) {
        guard !tracker.integrity.carriesNothing else { return withheld = breath.position }
        var breath = breath
        if withheld != nil { (breath.isNext, withheld) = (false, nil) }
        breaths.append(breath)
    }

    /// Says that `count` samples are missing.
    package mutating func skip(_ count: Int) { tracker.skip(count) }
}

/// The pattern of the breaths in a window: the rate, and whether it is regular enough to mean something.
package struct BreathingPattern: Hashable, Sendable {
    /// Breaths a minute: 60 over the mean interval.
    package var rate: Double
    /// The coefficient of variation of the intervals: 0.1–0.25 at rest, more while speaking, sighing or moving.
    package var irregularity: Double

    /// Above this the breathing counts as irregular (speech): then its rate says nothing of arousal.
    package static let irregularLimit = 0.35

    /// A Boolean value that indicates whether the breathing is too irregular to be scored.
    package var isIrregular: Bool { irregularity > Self.irregularLimit }

    /// The pattern of the breaths at `times` (seconds, ascending); nil for fewer than three.
    package init?(times: [Double]) { self.init(stretches: [times]) }

    /// A longer interval is a pause in the breathing, in seconds: it counts for the rate, and not as irregular.
    private static let pause = 20.0

    /// The pattern of the breaths in several stretches of time, between which it is not known what was: only intervals within one count. Nil for
    /// fewer than two.
    /// - Parameter open: the time since the last breath, in seconds; while the next is overdue the rate is what it would be if it came now.
    package init?(stretches: [[Double]], open: Double? = nil) {
        let intervals = stretches.flatMap { times in zip(times.dropFirst(), times).map { $0 - $1 } }
        let (count, sum) = (Double(intervals.count), intervals.reduce(0, +))
        guard intervals.count > 1, sum > 0 else { return nil }
        rate = 60 * count / sum
        if let open, open > 1.5 * sum / count { rate = 60 * (count + 1) / (sum + open) }
        irregularity = Self.irregularity(intervals)
    }

    private static func irregularity(_ all: [Double]) -> Double {
        let breaths = all.filter { $0 < pause }
        let intervals = breaths.count > 1 ? breaths : all
        let count = Double(intervals.count)
        let mean = intervals.reduce(0, +) / count
        let squares = intervals.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (squares / count).squareRoot() / mean
    }
}
