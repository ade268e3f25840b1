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
package struct BreathDetector: Sendable {
    /// Samples a second.
    package let rate: Double
    /// The problem with the signal itself; nil where nothing is.
    package var fault: SignalFault? { begun ? integrity.fault : .missing }
    private var filter: FilterCascade
    private var zigzag: Zigzag
    private var integrity: SignalIntegrity
    private var next: Int64 = 0
    private var begun = false
    private var held: Float = 0
    private var missing = 0

    /// Makes a detector for a signal of `rate` samples a second, brought to 2–2000 Hz.
    package init(rate: Double) {
        self.rate = min(max(rate, 2), 2000)
        filter = Butterworth.bandPass(order: 1, low: 0.08, high: 0.5, rate: self.rate)
        integrity = SignalIntegrity(rate: self.rate, step: 0.5, window: 15, floor: 1e-6)
        zigzag = Zigzag(rate: self.rate, shortest: 1.5, memory: 60, share: 0.2)
    }

    /// Takes samples and appends the breaths that they made certain. What is no number counts as missing.
    package mutating func process(_ samples: Span<Float>, into breaths: inout [Breath]) {
        for index in samples.indices { take(samples[index], into: &breaths) }
    }

    /// Says that `count` samples are missing.
    package mutating func skip(_ count: Int) {
        next += Int64(count)
        if Double(count) > rate { begun = false }
    }

    @inline(__always)
    private mutating func take(_ x: Float, into breaths: inout [Breath]) {
        guard abs(x) < 1e9 else { return miss() }
        if !begun { begin(at: x) }
        held = x
        missing = 0
        integrity.step(x)
        if let breath = zigzag.step(filter.step(Double(x)), at: next), !integrity.carriesNothing { breaths.append(breath) }
        next += 1
    }

    /// A hole of up to a second is bridged by the last value; after a longer one the filter starts anew.
    private mutating func miss() {
        missing += 1
        if begun && Double(missing) <= rate { _ = filter.step(Double(held)) } else { begun = false }
        next += 1
    }

    private mutating func begin(at x: Float) {
        filter.settle(at: Double(x))
        zigzag.restart()
        integrity.restart()
        begun = true
    }
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
    package init?(times: [Double]) {
        guard let first = times.first, let last = times.last, times.count > 2, last > first else { return nil }
        let count = Double(times.count - 1)
        let mean = (last - first) / count
        var squares = 0.0
        for index in 1..<times.count {
            let deviation = times[index] - times[index - 1] - mean
            squares += deviation * deviation
        }
        rate = 60 / mean
        irregularity = (squares / count).squareRoot() / mean
    }
}

/// Turns a wave into its alternating extremes; the highest points are the breaths, or the pulse's beats.
struct Zigzag: Sendable {
    private static let remembered = 8

    private let shortest: Int64
    private let decay: Double
    private let share: Double
    private var started = false
    private var rising = true
    private var extreme = 0.0
    private var extremePosition: Int64 = 0
    private var opposite = 0.0
    private var lastBreath = Int64.min / 2
    private var high = 0.0
    private var low = 0.0
    private var swings = [Double](repeating: 0, count: remembered)
    private var sorted = [Double](repeating: 0, count: remembered)
    private var swingCount = 0

    /// - Parameters:
    ///   - shortest: the least time between two highest points, in seconds.
    ///   - memory: how long the range is remembered, in seconds.
    ///   - share: of the usual swing, how far the signal must go back for a turn to count.
    init(rate: Double, shortest: Double, memory: Double, share: Double) {
        self.share = share
        self.shortest = Int64(shortest * rate)
        decay = 1 - 1 / (memory * rate)
    }

    /// Forgets the unfinished swing, not the usual size of one.
    mutating func restart() { started = false }

    /// Takes a filtered sample; returns a breath where the signal has just turned down from one.
    mutating func step(_ value: Double, at position: Int64) -> Breath? {
        if !started { begin(value, position) }
        high = value > high ? value : high * decay
        low = value < low ? value : low * decay
        let isBeyond = rising ? value > extreme : value < extreme
        if isBeyond { (extreme, extremePosition) = (value, position) }
        guard !isBeyond, abs(extreme - value) > threshold else { return nil }
        return turn(value, position)
    }

    private mutating func begin(_ value: Double, _ position: Int64) {
        (started, rising, extreme, extremePosition, opposite) = (true, true, value, position, value)
    }

    private var threshold: Double {
        let range = high - low
        let usual = swingCount >= 3 ? sorted[min(swingCount, Self.remembered) / 2] : 0.5 * range
        // A millionth of the range is rounding, not breath.
        return max(share * usual, 0.15 * range, 1e-9)
    }

    private mutating func turn(_ value: Double, _ position: Int64) -> Breath? {
        defer { (opposite, extreme, extremePosition, rising) = (extreme, value, position, !rising) }
        guard rising else { return nil }
        let depth = extreme - opposite
        defer { remember(depth) }
        guard extremePosition - lastBreath > shortest else { return nil }
        lastBreath = extremePosition
        return Breath(position: extremePosition, depth: Float(depth))
    }

    private mutating func remember(_ swing: Double) {
        swings[swingCount % Self.remembered] = swing
        swingCount += 1
        let count = min(swingCount, Self.remembered)
        for index in 0..<count { sorted[index] = swings[index] }
        sorted[0..<count].sort()
    }
}
