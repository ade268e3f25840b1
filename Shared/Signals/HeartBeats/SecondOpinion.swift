/// Looks for beats by their shape: the 5–40 Hz band at about 120 values a second, matched with the wearer's own beats.
///
/// It costs little while the signal is clean: then it only learns.
struct SecondOpinion: Sendable, Codable {
    /// Samples a tick.
    let stride: Int
    private let peakReach: Int
    private let learningDelay: Int
    private(set) var noise: NoiseContext
    private(set) var flutter: FlutterWatch
    private(set) var integrity: SignalIntegrity
    private var templates: BeatTemplates
    private var first: SecondOrderSection
    private var second: SecondOrderSection
    private var band: TickRing
    private var signal: TickRing
    private var likenesses: [Likeness]
    private var toLearn: [Lesson] = []

    /// A beat that the shapes are learnt from.
    private struct Lesson: Sendable, Codable {
        var centre: Int64
        var offset: Float
    }

    init(rate: Double) {
        stride = max(1, Int(rate / 110))
        let tickRate = rate / Double(stride)
        let filter = Butterworth.bandPass(order: 2, low: 5, high: 40, rate: rate)
        (first, second) = (filter.sections[0], filter.sections[1])
        peakReach = max(1, Int(0.09 * tickRate))
        learningDelay = Int(0.4 * tickRate)
        (noise, flutter) = (NoiseContext(tickRate: tickRate), FlutterWatch(tickRate: tickRate))
        integrity = SignalIntegrity(rate: tickRate, step: 0.02, window: 3, floor: 0.02)
        templates = BeatTemplates(tickRate: tickRate)
        band = TickRing(capacity: Int(2 * tickRate))
        signal = TickRing(capacity: 16)
        likenesses = Array(repeating: Likeness(), count: Int(3 * tickRate).roundedUpToPowerOfTwo)
        toLearn.reserveCapacity(8)
    }

    mutating func restart(level: Double) {
        _ = second.settle(at: first.settle(at: level))
        band.clear()
        for tick in 0..<signal.capacity { signal[tick] = Float(level) }
        for index in likenesses.indices { likenesses[index] = Likeness() }
        toLearn.removeAll(keepingCapacity: true)
        noise.restart()
        flutter.restart()
        integrity.restart()
    }

    /// Filters a sample.
    @inline(__always)
    mutating func filter(_ x: Float) -> Float { Float(second.step(first.step(Double(x)))) }

    /// Takes every `stride`th sample; returns the middle of something beat-like, in samples, where one has become certain.
    mutating func step(_ filtered: Float, signal x: Float, at tick: Int) -> (centre: Int64, likeness: Likeness)? {
        band[tick] = filtered
        signal[tick] = x
        noise.step(band, at: tick)
        flutter.step(signal, at: tick)
        integrity.step(x)
        learn(at: tick)
        let middle = tick - (templates.length - templates.before)
        likenesses[slot(middle)] = noise.mayBeNoisy ? templates.likeness(band, at: middle - templates.before) : Likeness()
        return noise.mayBeNoisy ? peak(at: middle - peakReach) : nil
    }

    private func slot(_ tick: Int) -> Int { tick & (likenesses.count - 1) }

    private func score(_ tick: Int) -> Float {
        let likeness = likenesses[slot(tick)]
        return max(likeness.gain, 0) * likeness.correlation
    }

    private func peak(at tick: Int) -> (centre: Int64, likeness: Likeness)? {
        let own = score(tick)
        guard own > 0.1, likenesses[slot(tick)].gain > 0.2 else { return nil }
        for other in (tick - peakReach)...(tick + peakReach) where score(other) > own { return nil }
        return (Int64(tick * stride), likenesses[slot(tick)])
    }

    /// The way the signal resembles a beat with its middle at the sample `centre`.
    func likeness(at centre: Int64) -> Likeness { likenesses[slot(Int(centre) / stride)] }

    /// The similarity of the last beats to the wearer's usual ones, up to 1.
    var agreement: Float { templates.agreement }

    /// A Boolean value that indicates whether what looks like beats is none: a wave, a square wave, a flat line.
    func hasNoBeats(at tick: Int) -> Bool { isFlutter(at: tick) || integrity.carriesNothing }

    /// Returns whether the signal is a wave without beats. Broad beats at 200 a minute look nearly like one, but are alike and stand apart.
    func isFlutter(at tick: Int) -> Bool {
        flutter.isFlutter && !noise.isStill && !(flutter.mayBeFastBeats && agreement > 0.85 && noise.hasFastBeats(at: tick))
    }

    /// From the middle of such a beat to its R peak, in samples.
    func offset(of likeness: Likeness) -> Float { templates.offset(of: likeness.template) }

    /// Learns from a beat as soon as the signal after it is known; not from one that is long past.
    mutating func willLearn(centre: Int64, offset: Float) {
        if toLearn.count < 8 { toLearn.append(Lesson(centre: centre, offset: offset)) }
    }

    private mutating func learn(at tick: Int) {
        guard let next = toLearn.first, Int(next.centre) / stride + learningDelay <= tick else { return }
        toLearn.removeFirst()
        let middle = Int(next.centre) / stride
        guard tick - middle + templates.reach < band.capacity else { return }
        noise.learn(band, middle: middle)
        templates.learn(band, middle: middle, offset: next.offset)
    }
}
