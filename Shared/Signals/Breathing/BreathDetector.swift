/// A breath in an airflow or chest signal.
package struct Breath: Hashable, Sendable {
    /// The sample of its highest point, counted from the first sample that the detector was given.
    package var position: Int64
    /// From the lowest point before to the highest, in the filtered signal's unit.
    package var depth: Float
}

/// Finds breaths in an airflow, impedance or chest-band signal, sample by sample, at 2 to 2000 samples a second.
///
/// A value without I/O; one a signal. Depends on the samples alone, never on how they were cut into calls; allocates
/// nothing a sample. Band-pass 0.08–0.5 Hz, then a zigzag: a turn counts once the signal has gone back by a fifth of the
/// median of the last eight swings, and by 15 % of the recent range. At least 1.5 s a breath, so up to 40 a minute.
package struct BreathDetector: Sendable, Codable {
    private var tracker: WaveTracker

    /// Makes a detector for a signal of `rate` samples a second, brought to 2–2000 Hz.
    package init(rate: Double) {
        let rate = min(max(rate, 2), 2000)
        tracker = WaveTracker(
            rate: rate, bridge: 1, filter: Butterworth.bandPass(order: 1, low: 0.08, high: 0.5, rate: rate),
            zigzag: Zigzag(rate: rate, shortest: 1.5, memory: 60, share: 0.2),
            integrity: SignalIntegrity(rate: rate, step: 0.5, window: 15, floor: 1e-6))
    }

    /// Samples a second.
    package var rate: Double { tracker.rate }

    /// The problem with the signal itself; nil where nothing is.
    package var fault: SignalFault? { tracker.fault }

    /// Takes samples and appends the breaths that they made certain. What is no number counts as missing.
    package mutating func process(_ samples: Span<Float>, into breaths: inout [Breath]) {
        for index in samples.indices {
            if let breath = tracker.take(samples[index]), !tracker.integrity.carriesNothing { breaths.append(breath) }
        }
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

    /// The pattern of the breaths in several stretches of time, between which it is not known what was: only intervals within one count. Nil for
    /// fewer than two.
    package init?(stretches: [[Double]]) {
        let intervals = stretches.flatMap { times in zip(times.dropFirst(), times).map { $0 - $1 } }
        let (count, sum) = (Double(intervals.count), intervals.reduce(0, +))
        guard intervals.count > 1, sum > 0 else { return nil }
        let mean = sum / count
        let squares = intervals.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        rate = 60 / mean
        irregularity = (squares / count).squareRoot() / mean
    }
}
