/// The quality of an electrocardiogram, as far as its beats are concerned.
package struct ECGQuality: Hashable, Sendable {
    /// 0, not at all, to 1.
    package let index: Float
    /// The problem with the signal itself.
    package let fault: SignalFault?
    /// A Boolean value that indicates whether it is a wave without beats: ventricular flutter, or rhythmic movement.
    package let isFlutter: Bool

    /// Below this nothing is derived from the beats.
    package static let usable: Float = 0.25

    /// A Boolean value that indicates whether a rate may be derived.
    package var isUsable: Bool { index >= Self.usable }

    /// - Parameters:
    ///   - noise: the mean log energy between and in beats, see `NoiseContext`.
    ///   - agreement: how much the beats resemble the wearer's usual ones, up to 1.
    init(fault: SignalFault?, isFlutter: Bool, noise: Float, agreement: Float) {
        self.fault = fault
        self.isFlutter = isFlutter
        let calm = min(max((-0.6 - noise) / 1.5, 0), 1)
        let likeness = min(max((agreement - 0.5) / 0.4, 0), 1)
        let clipped: Float = fault == .clipped ? 0.5 : 1
        index = isFlutter || (fault != nil && fault != .clipped) ? 0 : calm * likeness * clipped
    }
}

/// The noise of the last seconds: the mean log energy of 200 ms pieces, relative to a beat's, compared with the
/// wearer's own quiet times.
///
/// Clean recordings give about −3, electrode noise at 12 dB −2.2, at 6 dB −1.7, and a fast or broad rhythm more than a
/// slow one: hence the comparison with the wearer's own.
struct NoiseContext: Sendable, Codable {
    private let window: Int
    private let tickRate: Double
    private var energy: Float = 0
    private var beatEnergy: Float = 0
    private var seen = 0
    private(set) var level: Float = -2.5
    private var quiet: Float = -2.5

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

    mutating func restart() { energy = 0 }

    /// Learns the energy of a beat whose middle is at `middle`.
    mutating func learn(_ band: borrowing TickRing, middle: Int) {
        let measured = band.energy(from: middle - window / 2, count: window)
        beatEnergy = beatEnergy == 0 ? measured : beatEnergy + (min(measured, 2 * beatEnergy) - beatEnergy) / 16
    }

    /// Takes the newest value; judges anew at every eighth.
    mutating func step(_ band: borrowing TickRing, at tick: Int) {
        guard tick & 7 == 0, beatEnergy > 0 else { return }
        energy = band.energy(from: tick - window + 1, count: window)
        let step = Float(8 / tickRate)
        level += step / 4 * (max(Float.log(energy / beatEnergy), -6) - level)
        seen += 1
        guard Double(seen * 8) > 8 * tickRate else { return quiet = level }
        quiet += step / (level < quiet ? 8 : 900) * (level - quiet)
    }
}

/// Notices when the heart's signal has become a wave without beats, as in ventricular flutter.
///
/// The mean slope over three seconds, relative to the largest: about 0.1 where beats stand apart, 0.2 at the most in the
/// MIT-BIH records and with electrode noise added to them, 0.64 for a sine wave.
struct FlutterWatch: Sendable, Codable {
    private static let blocks = 12

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

    init(tickRate: Double) {
        blockLength = max(4, Int(0.25 * tickRate))
        half = max(1, Int((0.025 * tickRate).rounded()))
    }

    mutating func restart() {
        for index in sums.indices { (sums[index], maxima[index]) = (0, 0) }
        (sum, largest, filled, known, isFlutter) = (0, 0, 0, 0, false)
    }

    /// Takes the newest value of the signal itself.
    mutating func step(_ signal: borrowing TickRing, at tick: Int) {
        var rise: Float = 0
        for back in 0..<half { rise += signal[tick - back] - signal[tick - back - half] }
        sum += abs(rise)
        largest = max(largest, abs(rise))
        filled += 1
        if filled == blockLength { judge() }
    }

    private mutating func judge() {
        (sums[block], maxima[block]) = (sum, largest)
        (sum, largest, filled, block) = (0, 0, 0, (block + 1) % Self.blocks)
        known = min(known + 1, Self.blocks)
        let mean = sums.reduce(0, +) / Float(known * blockLength)
        isFlutter = known >= 6 && mean > 0.22 * (maxima.max() ?? 0)
    }
}
