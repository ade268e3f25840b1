/// Finds breaths in an airflow, impedance or chest-band signal, sample by sample, at 2 to 2000 samples a second.
///
/// A value without I/O; one a signal. Depends on the samples alone, never on how they were cut into calls; allocates
/// nothing a sample. Band-pass 0.08–0.5 Hz, then a zigzag: a turn counts once the signal has gone back by a fifth of the
/// median of the last eight swings, and by 15 % of the recent range. At least 1.5 s a breath, so up to 40 a minute.
package struct BreathDetector: Sendable {
    /// Samples a second.
    package let rate: Double
    /// What is wrong with the signal itself; nil where nothing is.
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
