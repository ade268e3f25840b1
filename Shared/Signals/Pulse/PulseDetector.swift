/// Finds the pulse in a blood-volume signal, where there is no electrocardiogram, at 20 to 2000 samples a second.
///
/// A value without I/O; depends on the samples alone; allocates nothing a sample. Band-pass 0.7–3.5 Hz, then the same
/// zigzag as for breaths, at most 180 beats a minute. A moving wrist makes waves of its own: mind the motion.
package struct PulseDetector: Sendable {
    /// Samples a second.
    package let rate: Double
    private var filter: FilterCascade
    private var zigzag: Zigzag
    private var integrity: SignalIntegrity
    private var next: Int64 = 0
    private var begun = false
    private var held: Float = 0
    private var missing = 0

    /// Makes a detector for a signal of `rate` samples a second, brought to 20–2000 Hz.
    package init(rate: Double) {
        self.rate = min(max(rate, 20), 2000)
        filter = Butterworth.bandPass(order: 2, low: 0.7, high: 3.5, rate: self.rate)
        zigzag = Zigzag(rate: self.rate, shortest: 0.33, memory: 10, share: 0.5)
        integrity = SignalIntegrity(rate: self.rate, step: 0.05, window: 4, floor: 1e-6)
    }

    /// The problem with the signal itself; nil where nothing is.
    package var fault: SignalFault? { begun ? integrity.fault : .missing }

    /// Takes samples and appends the positions of the beats that they made certain. What is no number counts as missing.
    package mutating func process(_ samples: Span<Float>, into beats: inout [Int64]) {
        for index in samples.indices { take(samples[index], into: &beats) }
    }

    /// Says that `count` samples are missing.
    package mutating func skip(_ count: Int) {
        next += Int64(count)
        if Double(count) > 0.2 * rate { begun = false }
    }

    @inline(__always)
    private mutating func take(_ x: Float, into beats: inout [Int64]) {
        guard abs(x) < 1e9 else { return miss() }
        if !begun { begin(at: x) }
        (held, missing) = (x, 0)
        integrity.step(x)
        if let beat = zigzag.step(filter.step(Double(x)), at: next), integrity.isSound { beats.append(beat.position) }
        next += 1
    }

    private mutating func miss() {
        missing += 1
        if begun && Double(missing) <= 0.2 * rate { _ = filter.step(Double(held)) } else { begun = false }
        next += 1
    }

    private mutating func begin(at x: Float) {
        filter.settle(at: Double(x))
        zigzag.restart()
        integrity.restart()
        begun = true
    }
}
