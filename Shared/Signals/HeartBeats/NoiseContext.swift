/// How noisy the last seconds were: the mean log energy of 200 ms pieces, relative to a beat's, compared with the
/// wearer's own quiet times.
///
/// Clean recordings give about −3, electrode noise at 12 dB −2.2, at 6 dB −1.7, and a fast or broad rhythm more than a
/// slow one: hence the comparison with the wearer's own.
struct NoiseContext: Sendable {
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

    /// How much noisier than the wearer's quiet times.
    var excess: Float { level - quiet }

    /// Whether the first opinion, made for clean signals, should not be trusted alone.
    var isNoisy: Bool { level > -2.8 && excess > 0.5 }

    /// Whether it could soon be so: what the second opinion needs is gathered from here on.
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
