/// Follows the skin conductance: its slow level and its quick responses, sample by sample, at 2 to 2000 samples a second.
///
/// A value without I/O; in µS. Depends on the samples alone, never on how they were cut into calls. Low-pass 1 Hz; a
/// response rises by at least 0.05 µS (W. Boucsein et al., Psychophysiology 49: 1017–1034, 2012) within at least 0.3 s,
/// and its peak is certain once the signal has fallen by a fifth of that. The level is what is slower than 0.05 Hz.
package struct SkinConductanceDetector: Sendable {
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

    /// Says that `count` samples are missing; the filters start anew after more than a second.
    package mutating func skip(_ count: Int) {
        next += Int64(count)
        if Double(count) > rate { begun = false }
    }

    @inline(__always)
    private mutating func take(_ x: Float, into events: inout [SkinEvent]) {
        guard abs(x) < 1e6 else { return skip(1) }
        if !begun { begin(at: x) }
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
