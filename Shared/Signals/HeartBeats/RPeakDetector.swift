/// A heart beat in an electrocardiogram.
package struct RPeak: Hashable, Sendable {
    /// The sample of the R peak, counted from the first sample that the detector was given.
    package var position: Int64
    /// Its deflection from the local baseline, in the signal's unit (mV), with its sign.
    package var amplitude: Float
    /// The polarity with which it was found.
    package var origin: Origin
    /// Its shape; nil where the signal is too coarse, or not known on both sides of it.
    package var shape: BeatShape?

    /// The way a beat was found.
    package enum Origin: String, Hashable, Sendable, Codable {
        /// Its energy passed the threshold.
        case threshold
        /// It was accepted later, because the rhythm left a hole.
        case searchBack
        /// The signal was noisy, and it has the shape and the place of the wearer's beats.
        case shape
    }
}

/// Finds heart beats in an electrocardiogram, sample by sample, at any rate from 50 to 2000 Hz.
///
/// A value without I/O; one a lead. The events depend on the samples alone, never on how they were cut into calls.
/// A beat is reported about 0.4 s after it happened, one that was passed over at first 1.6 beats later. Nothing is
/// allocated a sample. The signal is in mV.
package struct RPeakDetector: Sendable, Codable {
    /// The rates that it is made for, samples a second. What is coarser has no QRS complex to be found, and with a hundredth beyond them nothing is
    /// wrong but the device's clock.
    package static let rates = 49.5...2020
    /// Samples a second.
    package let rate: Double
    private var energy: QRSEnergy
    private var burst: QRSBurst
    private var levels: BeatLevels
    private var finder: PeakFinder
    private var shapes: SecondOpinion
    private var judge: BeatJudge
    private var untilTick = 0
    private var next: Int64 = 0
    private var begun = false
    private var held: Float = 0
    private var missing = 0
    /// The sample at which the signal last stopped; nil before.
    private var stopped: Int64?
    /// The longest hole that is bridged, in seconds.
    private static let bridge = 0.1
    /// Behind a longer gap the electrodes may have been moved, in seconds.
    private static let longGap = 5.0
    /// The usual deflection of a beat, without sign; nil before the first.
    private var usualDeflection: Float?
    /// The mean of the beats; nil of a former version.
    private var average: BeatAverage?

    /// Makes a detector for a signal of `rate` samples a second, brought to 50–2000 Hz.
    package init(rate: Double) {
        self.rate = min(max(rate, 50), 2000)
        energy = QRSEnergy(rate: self.rate)
        burst = QRSBurst(rate: self.rate)
        levels = BeatLevels(rate: self.rate)
        finder = PeakFinder(rate: self.rate)
        shapes = SecondOpinion(rate: self.rate)
        judge = BeatJudge(rate: self.rate)
        average = BeatAverage()
    }

    /// The quality of the beats of the last seconds.
    package var quality: ECGQuality {
        ECGQuality(
            fault: begun ? shapes.integrity.fault : .missing, isFlutter: shapes.isFlutter(at: tick), isHum: shapes.flutter.isHum,
            noise: shapes.noise.level, agreement: shapes.agreement)
    }

    /// Takes the mean of the beats in a quiet signal since it was last taken; nil for too few.
    package mutating func takeAverage() -> BeatAverage.Mean? { average?.take() }

    private var tick: Int { Int(truncatingIfNeeded: next) / shapes.stride }

    /// Takes samples and appends the beats that they made certain. A sample that is no number counts as missing.
    package mutating func process(_ samples: Span<Float>, into beats: inout [RPeak]) {
        for index in samples.indices { take(samples[index], into: &beats) }
    }

    /// Says that `count` samples are missing: the same as if as many came that are no numbers.
    package mutating func skip(_ count: Int, into beats: inout [RPeak]) {
        if begun, Double(missing) + Double(count) <= Self.bridge * rate {
            for _ in 0..<max(0, count) { miss(into: &beats) }
            return
        }
        finish(into: &beats)
        next += Int64(count)
    }

    /// Reports what waits in the look-ahead, and starts anew with the next sample; the wearer's levels are kept.
    package mutating func finish(into beats: inout [RPeak]) {
        guard begun else { return }
        let (end, count) = (next, beats.count)
        for _ in 0...energy.lookAhead { advance(held, into: &beats) }
        for candidate in levels.endOfLearning(at: .max) { weigh(candidate) }
        while decide(isEnd: true, into: &beats) {}
        (next, begun, missing, stopped) = (end, false, 0, end)
        while beats.count > count, let last = beats.last, last.position >= end { beats.removeLast() }
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
        if Double(missing) <= Self.bridge * rate { return advance(held, into: &beats) }
        finish(into: &beats)
        next += 1
    }

    private mutating func begin(_ x: Float) {
        energy.restart(at: next, level: Double(x))
        burst.restart()
        let isLong = stopped.map { Double(next - $0) > Self.longGap * rate } ?? true
        levels.restart(at: next, isLong: isLong)
        if isLong { usualDeflection = nil }
        finder.restart(level: x)
        shapes.restart(level: Double(x))
        judge.restart()
        untilTick = (shapes.stride - Int(next % Int64(shapes.stride))) % shapes.stride
        begun = true
    }

    @inline(__always)
    private mutating func advance(_ x: Float, into beats: inout [RPeak]) {
        finder.push(x, at: next)
        let filtered = shapes.filter(x)
        let sample = energy.step(x)
        if untilTick == 0 { tick(filtered, x, into: &beats) }
        untilTick -= 1
        next += 1
        if let candidate = burst.step(sample), !levels.keepsBack(candidate) { weigh(candidate) }
        if levels.isSilent(at: sample.position) { lookBack(sample.position) }
    }

    private mutating func lookBack(_ position: Int64) {
        if let passedOver = levels.passedOver, !isHighEnough(passedOver) { levels.forgetPassedOver() }
        if let passedOver = levels.pass(position) { found(passedOver, .searchBack) }
    }

    /// Returns whether a weak burst may be a beat, maybe a broad one, and not a P wave, which goes on while the ventricles stand still. Of shape
    /// both can be alike; what is half as high as the beats is no P wave.
    private func isHighEnough(_ candidate: QRSCandidate) -> Bool {
        guard let usualDeflection else { return true }
        return abs(finder.find(near: candidate.peak).deflection) > 0.5 * usualDeflection
    }

    private mutating func weigh(_ candidate: QRSCandidate) {
        guard !levels.isFaint(candidate) || isHighEnough(candidate) else { return }
        if case .beat = levels.judge(candidate) { found(candidate, .threshold) }
    }

    /// The work that need not be done at every sample, at about 120 a second.
    private mutating func tick(_ filtered: Float, _ x: Float, into beats: inout [RPeak]) {
        untilTick = shapes.stride
        for candidate in levels.endOfLearning(at: next - Int64(energy.lookAhead)) { weigh(candidate) }
        if let (centre, likeness) = shapes.step(filtered, signal: x, at: Int(next) / shapes.stride) {
            let position = centre + Int64(shapes.offset(of: likeness).rounded())
            judge.insert(candidate(position, finder.deflection(at: position), centre, likeness, nil))
        }
        while decide(isEnd: false, into: &beats) {}
    }

    private mutating func found(_ burst: QRSCandidate, _ origin: RPeak.Origin) {
        let (position, deflection) = finder.find(near: burst.peak)
        usualDeflection = usualDeflection.map { $0 + (min(abs(deflection), 2 * $0) - $0) / 16 } ?? abs(deflection)
        shapes.willLearn(centre: burst.peak, offset: Float(position - burst.peak))
        judge.addBeat(candidate(position, deflection, burst.peak, shapes.likeness(at: burst.peak), origin))
    }

    private func candidate(
        _ position: Int64, _ deflection: Float, _ centre: Int64, _ likeness: Likeness, _ origin: RPeak.Origin?
    ) -> BeatCandidate {
        BeatCandidate(
            position: position, deflection: deflection, centre: centre, likeness: likeness, origin: origin,
            noise: shapes.noise.level, isNoisy: shapes.noise.isNoisy)
    }

    /// Decides a candidate that is due; false where none is.
    private mutating func decide(isEnd: Bool, into beats: inout [RPeak]) -> Bool {
        switch judge.decide(now: next, hasNoBeats: shapes.hasNoBeats(at: tick), isEnd: isEnd) {
        case .waiting: return false
        case .passed: return true
        case .beat(var beat):
            beat.shape = finder.shape(at: beat.position, next: next, rate: rate)
            if !isEnd, !shapes.noise.isNoisy { finder.add(beat.position, to: &average, next: next, rate: rate) }
            beats.append(beat)
            return true
        }
    }
}
