/// Finds heart beats in an electrocardiogram, sample by sample, at any rate from 50 to 2000 Hz.
///
/// A value without I/O; one a lead. The events depend on the samples alone, never on how they were cut into calls.
/// A beat is reported about 0.4 s after it happened, one that was passed over at first 1.6 beats later. Nothing is
/// allocated a sample. The signal is in mV.
package struct RPeakDetector: Sendable {
    /// Samples a second.
    package let rate: Double
    private var energy: QRSEnergy
    private var burst: QRSBurst
    private var levels: BeatLevels
    private var finder: PeakFinder
    private var next: Int64 = 0
    private var begun = false
    private var held: Float = 0
    private var missing = 0
    private var lastReported: Int64 = -1

    /// Makes a detector for a signal of `rate` samples a second, brought to 50–2000 Hz.
    package init(rate: Double) {
        self.rate = min(max(rate, 50), 2000)
        energy = QRSEnergy(rate: self.rate)
        burst = QRSBurst(rate: self.rate)
        levels = BeatLevels(rate: self.rate)
        finder = PeakFinder(rate: self.rate)
    }

    /// Takes samples and appends the beats that they made certain. A sample that is no number counts as missing.
    package mutating func process(_ samples: Span<Float>, into beats: inout [RPeak]) {
        for index in samples.indices { take(samples[index], into: &beats) }
    }

    /// Says that `count` samples are missing: what waits is reported, and the filters start anew after them.
    package mutating func skip(_ count: Int, into beats: inout [RPeak]) {
        finish(into: &beats)
        next += Int64(count)
    }

    /// Reports what waits in the look-ahead, and starts anew with the next sample; the wearer's levels are kept.
    package mutating func finish(into beats: inout [RPeak]) {
        guard begun else { return }
        let end = next
        for _ in 0...energy.lookAhead { advance(held, into: &beats) }
        (next, begun, missing) = (end, false, 0)
        while let last = beats.last, last.position >= end { beats.removeLast() }
    }

    @inline(__always)
    private mutating func take(_ x: Float, into beats: inout [RPeak]) {
        guard abs(x) < 1e6 else { return miss(into: &beats) }
        if !begun { begin(x) }
        held = x
        missing = 0
        advance(x, into: &beats)
    }

    /// A short hole is bridged by the last value; a longer one starts the filters anew.
    private mutating func miss(into beats: inout [RPeak]) {
        missing += 1
        guard begun else { return next += 1 }
        if Double(missing) <= 0.1 * rate { return advance(held, into: &beats) }
        finish(into: &beats)
        next += 1
    }

    private mutating func begin(_ x: Float) {
        energy.restart(at: next, level: Double(x))
        burst.restart()
        levels.restart(at: next)
        finder.restart(level: x)
        begun = true
    }

    @inline(__always)
    private mutating func advance(_ x: Float, into beats: inout [RPeak]) {
        finder.push(x, at: next)
        next += 1
        let sample = energy.step(x)
        if let candidate = burst.step(sample), case .beat = levels.judge(candidate) {
            report(candidate, .threshold, into: &beats)
        }
        if let passedOver = levels.pass(sample.position) { report(passedOver, .searchBack, into: &beats) }
    }

    private mutating func report(_ candidate: QRSCandidate, _ origin: RPeak.Origin, into beats: inout [RPeak]) {
        let (position, deflection) = finder.find(near: candidate.peak)
        guard position > lastReported, position >= 0 else { return }
        lastReported = position
        beats.append(RPeak(position: position, amplitude: deflection, origin: origin))
    }
}
