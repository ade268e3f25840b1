/// The quality of an electrocardiogram, as far as its beats are concerned.
package struct ECGQuality: Hashable, Sendable {
    /// 0, not at all, to 1.
    package let index: Float
    /// The same whatever the shape of the beats is, as far as there are any: in a run from a ventricle none resembles the usual ones, and its first
    /// seconds may pass for a wave.
    package let calm: Float
    /// The problem with the signal itself.
    package let fault: SignalFault?
    /// A Boolean value that indicates whether it is a wave without beats: ventricular flutter, or rhythmic movement.
    package let isFlutter: Bool
    /// A Boolean value that indicates whether a wave is too quick for any heart: the mains that an electrode picks up, muscles, noise.
    package let isHum: Bool

    /// Below this nothing is derived from the beats.
    package static let usable: Float = 0.25

    /// From here on a beat that is missing is one that did not come; of what lies between, a rate may be told, but beats may have been missed.
    package static let good: Float = 0.5

    /// A Boolean value that indicates whether it may be said that there was no beat.
    package var isGood: Bool { index >= Self.good }

    /// A Boolean value that indicates whether nothing is wrong with the signal but that it is a wave without beats.
    package var isWave: Bool { isFlutter && !isHum && fault == nil }

    /// A Boolean value that indicates whether a rate may be derived.
    package var isUsable: Bool { index >= Self.usable }

    /// A Boolean value that indicates whether the beats may be classed.
    package var isCalm: Bool { calm >= Self.usable }

    /// A Boolean value that indicates whether a beat of a shape that was never seen is one, and no noise.
    package var isQuiet: Bool { calm >= 0.75 }

    /// - Parameters:
    ///   - noise: the mean log energy between and in beats, see `NoiseContext`.
    ///   - agreement: how much the beats resemble the wearer's usual ones, up to 1.
    init(fault: SignalFault?, isFlutter: Bool, isHum: Bool = false, noise: Float, agreement: Float) {
        self.fault = fault
        self.isFlutter = isFlutter
        self.isHum = isFlutter && isHum
        let calm = min(max((-0.6 - noise) / 1.5, 0), 1)
        let likeness = min(max((agreement - 0.5) / 0.4, 0), 1)
        let clipped: Float = fault == .clipped ? 0.5 : 1
        self.calm = self.isHum || (fault != nil && fault != .clipped) ? 0 : calm * clipped
        index = isFlutter ? 0 : self.calm * likeness
    }
}

/// The noise of the last seconds: the mean log energy of 200 ms pieces, relative to a beat's, compared with the
/// wearer's own quiet times.
///
/// Clean recordings give about −3, electrode noise at 12 dB −2.2, at 6 dB −1.7, and a broad rhythm more than a narrow
/// one: hence the comparison with the wearer's own. The faster the heart, the more pieces hold a beat, which is no noise: above
/// 100 beats a minute the beats count as much as at 100, and the rest is what lies midway between them.
struct NoiseContext: Sendable, Codable {
    /// The interval below which beats are closer than the measure is made for, in seconds.
    private static let usual: Float = 0.6
    /// No interval, but a pause, in seconds.
    private static let longest: Float = 1.5

    private let window: Int
    private let tickRate: Double
    private var energy: Float = 0
    private var beatEnergy: Float = 0
    private var seen = 0
    private(set) var level: Float = -2.5
    private var quiet: Float = -2.5
    /// The mean over all pieces, as close together as the beats are; nil before the first.
    private var overall: Float?
    /// The same midway between two beats, and their distance in seconds; nil before the second.
    private var between: Float?
    private var interval: Float?
    private var lastMiddle: Int?

    init(tickRate: Double) {
        self.tickRate = tickRate
        window = max(2, Int(0.2 * tickRate))
    }

    /// The excess over the wearer's quiet times.
    var excess: Float { level - quiet }

    /// A Boolean value that indicates whether the first opinion, made for clean signals, should not be trusted alone.
    var isNoisy: Bool { level > -2.8 && excess > 0.5 }

    /// A Boolean value that indicates whether it could soon be so: what the second opinion needs is gathered from here on.
    var mayBeNoisy: Bool { level > -3 && excess > 0.3 }

    /// Returns whether beats come so fast that they nearly make a wave, and are beats all the same, with quiet between them.
    func hasFastBeats(at tick: Int) -> Bool {
        guard let between, let interval, let lastMiddle else { return false }
        return interval < Self.usual && between < -1.8 && Double(tick - lastMiddle) < 1.5 * tickRate
    }

    /// A Boolean value that indicates whether what is left is so small beside the wearer's beats that no wave in it means anything: the heart stands
    /// still, or all but.
    var isStill: Bool { level < -4.5 }

    mutating func restart() { (energy, lastMiddle) = (0, nil) }

    /// Learns the energy of a beat whose middle is at `middle`, and that midway to the one before it.
    mutating func learn(_ band: borrowing TickRing, middle: Int) {
        let measured = band.energy(from: middle - window / 2, count: window)
        beatEnergy = beatEnergy == 0 ? measured : beatEnergy + (min(measured, 2 * beatEnergy) - beatEnergy) / 16
        defer { lastMiddle = middle }
        guard let lastMiddle, middle > lastMiddle else { return }
        learnBetween(band, lastMiddle, middle)
    }

    private mutating func learnBetween(_ band: borrowing TickRing, _ first: Int, _ second: Int) {
        let distance = min(Float(second - first) / Float(tickRate), Self.longest)
        // Of a pause no more is kept than of a long interval: what lies midway in it may be overwritten by now.
        let span = min(second - first, Int(Double(Self.longest) * tickRate))
        // Short enough to lie between the beats of the fastest heart.
        let count = max(2, Int(0.064 * tickRate))
        let measured = band.energy(from: (2 * second - span - count) / 2, count: count) * Float(window) / Float(count)
        let calm = max(Float.log(measured / beatEnergy), -6)
        let part = min(distance / 4, 1)
        between = between.map { $0 + part * (calm - $0) } ?? calm
        interval = interval.map { $0 + part * (distance - $0) } ?? distance
    }

    /// Takes the newest value; judges anew at every eighth.
    mutating func step(_ band: borrowing TickRing, at tick: Int) {
        guard tick & 7 == 0, beatEnergy > 0 else { return }
        energy = band.energy(from: tick - window + 1, count: window)
        let step = Float(8 / tickRate)
        let before = overall ?? level
        let now = before + step / 4 * (max(Float.log(energy / beatEnergy), -6) - before)
        (overall, level) = (now, thinned(now))
        seen += 1
        guard Double(seen * 8) > 8 * tickRate else { return quiet = level }
        quiet += step / (level < quiet ? 8 : 900) * (level - quiet)
    }

    /// The level as it were if the beats were no closer than the measure is made for.
    private func thinned(_ level: Float) -> Float {
        guard let between, let interval, between < level, interval < Self.usual else { return level }
        return between + interval / Self.usual * (level - between)
    }
}

/// Notices when the heart's signal has become a wave without beats, as in ventricular flutter.
///
/// The mean slope over three seconds, relative to the largest: about 0.1 where beats stand apart, 0.2 at the most in the
/// MIT-BIH records and with electrode noise added to them, 0.64 for a sine wave. So is the mains' hum of an electrode that is off, which turns
/// a hundred times a second; a heart that fibrillates has 3 to 9 waves a second in the surface leads.
struct FlutterWatch: Sendable, Codable {
    private static let blocks = 12
    /// The most turns a second of a heart's wave, two each: half as many again as in the fastest fibrillation.
    private static let mostTurns: Float = 27
    /// The turns a second of late weigh so much beside those before, a quarter of a second each.
    private static let newest: Float = 0.125

    private let blockLength: Int
    private let half: Int
    private var sum: Float = 0
    private var largest: Float = 0
    private var filled = 0
    private var sums = [Float](repeating: 0, count: blocks)
    private var maxima = [Float](repeating: 0, count: blocks)
    private var block = 0
    private var known = 0
    private(set) var isFlutter = false
    /// A Boolean value that indicates whether the wave is too even for beats, however fast they come; nil before it was judged.
    private var isEven: Bool?
    /// The values that are taken together so that what the mains add to a heart's wave hardly makes it turn: two periods of 50 Hz.
    private let breadth: Int?
    /// The turns of the wave a second, of late, while there is one; nil before they were judged.
    private var turning: Float?
    /// Those since then, and whether it rises; nil before the first.
    private var turns: Int?
    /// The slope since then, as `sum`, without the mains.
    private var steady: Float?
    private var isRising: Bool?

    init(tickRate: Double) {
        blockLength = max(4, Int(0.25 * tickRate))
        half = max(1, Int((0.025 * tickRate).rounded()))
        breadth = min(8, max(1, Int((0.04 * tickRate).rounded())))
    }

    mutating func restart() {
        for index in sums.indices { (sums[index], maxima[index]) = (0, 0) }
        (sum, largest, filled, known, isFlutter, isEven) = (0, 0, 0, 0, false, nil)
        (turning, turns, steady, isRising) = (nil, nil, nil, nil)
    }

    /// A Boolean value that indicates whether it turns too often for a heart, or that is not known yet.
    var isHum: Bool { turning ?? .infinity > Self.mostTurns }

    /// A Boolean value that indicates whether it may be a fast rhythm of broad beats as well: a sine wave, which is none, is at 0.64.
    var mayBeFastBeats: Bool { isFlutter && isEven == false }

    /// Takes the newest value of the signal itself.
    mutating func step(_ signal: borrowing TickRing, at tick: Int) {
        var rise: Float = 0
        for back in 0..<half { rise += signal[tick - back] - signal[tick - back - half] }
        sum += abs(rise)
        largest = max(largest, abs(rise))
        if isFlutter { countTurn(signal, at: tick) }
        filled += 1
        if filled == blockLength { judge() }
    }

    private mutating func countTurn(_ signal: borrowing TickRing, at tick: Int) {
        let breadth = breadth ?? half
        var rise: Float = 0
        for back in 0..<breadth { rise += signal[tick - back] - signal[tick - back - breadth] }
        steady = (steady ?? 0) + abs(rise)
        if isRising != (rise > 0) { (turns, isRising) = ((turns ?? 0) + 1, rise > 0) }
    }

    private mutating func judgeTurns() {
        // Of the mains alone next to nothing is left; of a heart's wave, over the longer time, twice as much and more.
        let latest = steady ?? 0 < sum ? 100 : 4 * Float(turns ?? 0)
        turning = isFlutter ? turning.map { $0 + Self.newest * (latest - $0) } ?? latest : nil
        (turns, steady) = (0, 0)
    }

    private mutating func judge() {
        judgeTurns()
        (sums[block], maxima[block]) = (sum, largest)
        (sum, largest, filled, block) = (0, 0, 0, (block + 1) % Self.blocks)
        known = min(known + 1, Self.blocks)
        let mean = sums.reduce(0, +) / Float(known * blockLength)
        let most = maxima.max() ?? 0
        isFlutter = known >= 6 && mean > 0.22 * most
        isEven = mean > 0.4 * most
    }
}
