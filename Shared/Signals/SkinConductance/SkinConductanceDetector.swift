/// A skin-conductance response: the sweat glands answered.
package struct SkinResponse: Hashable, Sendable {
    /// The sample where the rise began.
    package var onset: Int64
    /// The sample of the highest point.
    package var peak: Int64
    /// From onset to peak, in µS.
    package var amplitude: Float
}

/// An event of the skin-conductance detector.
package enum SkinEvent: Hashable, Sendable {
    /// A response whose peak is certain.
    case response(SkinResponse)
    /// The last response has fallen back by half of its amplitude at this sample.
    case halfRecovered(at: Int64)
}

/// The quality of a skin-conductance reading.
package enum SkinQuality {
    /// Below this many µS the electrodes are dry or off: said so, not scored.
    package static let dryBelow = 0.05
    /// Above this many µS the sensor is at its end.
    package static let saturatedAbove = 60.0
}

/// Follows the skin conductance: its slow level and its quick responses, sample by sample, at 2 to 2000 samples a second.
///
/// A value without I/O; in µS. Depends on the samples alone, never on how they were cut into calls. Low-pass 1 Hz; a
/// response rises by at least 0.05 µS (W. Boucsein et al., Psychophysiology 49: 1017–1034, 2012) within at least 0.3 s,
/// and its peak is certain once the signal has fallen by a fifth of that. The level is what is slower than 0.05 Hz.
package struct SkinConductanceDetector: Sendable, Codable {
    /// Samples a second.
    package let rate: Double
    /// The smallest response, in µS.
    package static let smallestResponse = 0.05

    /// The slow level in µS; nil before the first sample.
    package private(set) var level: Float?
    private var smooth: FilterCascade
    private var slow: FilterCascade
    private var rise: SkinRise
    private var next: Int64 = 0
    private var begun = false
    /// The samples that are missing since the last one; nil for none.
    private var missing: Int?

    /// Makes a detector for a signal of `rate` samples a second, brought to 2–2000 Hz.
    package init(rate: Double) {
        self.rate = min(max(rate, 2), 2000)
        smooth = Butterworth.lowPass(order: 2, corner: 1, rate: self.rate)
        slow = Butterworth.lowPass(order: 2, corner: 0.05, rate: self.rate)
        rise = SkinRise(rate: self.rate)
    }

    /// Takes samples and appends what they made certain. What is no number counts as missing.
    package mutating func process(_ samples: Span<Float>, into events: inout [SkinEvent]) {
        for index in samples.indices { take(samples[index], into: &events) }
    }

    /// Says that `count` samples are missing; the filters start anew after more than a second of it.
    package mutating func skip(_ count: Int) {
        next += Int64(count)
        let all = (missing ?? 0) + count
        missing = all
        if Double(all) > rate { begun = false }
    }

    @inline(__always)
    private mutating func take(_ x: Float, into events: inout [SkinEvent]) {
        guard abs(x) < 1e6 else { return skip(1) }
        if !begun { begin(at: x) }
        missing = nil
        let smoothed = smooth.step(Double(x))
        level = Float(slow.step(smoothed))
        if let event = rise.step(smoothed, at: next) { events.append(event) }
        next += 1
    }

    private mutating func begin(at x: Float) {
        smooth.settle(at: Double(x))
        slow.settle(at: Double(x))
        rise.restart()
        begun = true
    }
}

/// Watches one rise of the skin conductance from its foot to its peak, and the fall after it.
struct SkinRise: Sendable, Codable {
    private static let threshold = SkinConductanceDetector.smallestResponse

    private let rate: Double
    private var started = false
    private var previous = 0.0
    private var foot = 0.0
    private var footPosition: Int64 = 0
    private var top = 0.0
    private var topPosition: Int64 = 0
    private var onset: Int64 = 0
    private var steepest = 0.0
    private var halfWay: Double?
    private var reported = false

    init(rate: Double) { self.rate = rate }

    mutating func restart() {
        started = false
        halfWay = nil
    }

    /// Takes a smoothed sample; returns what it made certain.
    mutating func step(_ value: Double, at position: Int64) -> SkinEvent? {
        if !started { start(value, position) }
        defer { previous = value }
        if value < foot { start(value, position) }
        let slope = value - previous
        noteOnset(slope, position)
        if value > top { (top, topPosition) = (value, position) }
        if let response = peak(value, position) { return .response(response) }
        return recovery(value, position)
    }

    private mutating func start(_ value: Double, _ position: Int64) {
        if !started { previous = value }
        (started, reported, steepest) = (true, false, 0)
        (foot, footPosition, onset, top, topPosition) = (value, position, position, value, position)
    }

    /// The rise begins where its slope was last below a twentieth of the steepest.
    private mutating func noteOnset(_ slope: Double, _ position: Int64) {
        if slope > steepest { steepest = slope }
        if top == foot || slope < 0.05 * steepest && top - foot < 0.2 * Self.threshold { onset = position }
    }

    /// A fall of a fifth of the threshold ends the rise.
    private mutating func peak(_ value: Double, _ position: Int64) -> SkinResponse? {
        guard top - value > 0.2 * Self.threshold else { return nil }
        let amplitude = top - foot
        let isResponse = amplitude >= Self.threshold && Double(topPosition - onset) >= 0.3 * rate
        let response = SkinResponse(onset: onset, peak: topPosition, amplitude: Float(amplitude))
        if isResponse { halfWay = top - amplitude / 2 }
        start(value, position)
        return isResponse ? response : nil
    }

    private mutating func recovery(_ value: Double, _ position: Int64) -> SkinEvent? {
        guard let level = halfWay, value <= level else { return nil }
        halfWay = nil
        return .halfRecovered(at: position)
    }
}
