#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// An electrocardiogram by the dynamical model of P. E. McSharry et al. (IEEE Trans. Biomed. Eng. 50(3): 289–294, 2003): a
/// point runs round a circle once a beat, and is pulled up or down as it passes P, Q, R, S and T.
struct SyntheticECG: Sendable {
    /// One of the waves: where on the circle (rad), how high, how wide (rad). The paper's table 1.
    private static let waves: [(angle: Double, height: Double, width: Double)] = [
        (-.pi / 3, 1.2, 0.25), (-.pi / 12, -5, 0.1), (0, 30, 0.1), (.pi / 12, -7.5, 0.1), (.pi / 2, 0.75, 0.4),
    ]
    /// Brings the model's R wave to about 1 mV.
    private static let scale = 4.0

    private let step: Double
    private var angle = -Double.pi / 2
    private var height = 0.0
    private var slowWave: Double
    private var interval = 0.9
    private var random: SeededGenerator

    init(rate: Double, seed: UInt64) {
        step = 1 / rate
        random = SeededGenerator(seed: seed)
        slowWave = 2 * .pi * random.uniform()
    }

    /// The next sample in mV. `breath` is the breathing's angle: the heart quickens while breathing in.
    mutating func next(_ state: WearerState, breath: Double) -> Double {
        slowWave += 2 * .pi * 0.1 * step
        advance(state, breath: breath)
        var slope = -(height - 0.005 * sin(breath))
        for wave in Self.waves {
            let distance = remainder(angle - wave.angle, 2 * .pi)
            slope -= wave.height * distance * exp(-distance * distance / (2 * wave.width * wave.width)) * speed
        }
        height += slope * step
        return Self.scale * height + 0.008 * random.normal()
    }

    private var speed: Double { 2 * .pi / interval }

    /// A new interval begins where the circle does, half a turn from the R wave.
    private mutating func advance(_ state: WearerState, breath: Double) {
        angle += speed * step
        guard angle > .pi else { return }
        angle -= 2 * .pi
        let swing = 1.6 * state.variability / 1000
        let change = swing * (0.8 * sin(breath) + 0.5 * sin(slowWave)) + 0.25 * swing * random.normal()
        interval = min(max(60 / state.heartRate - change, 0.3), 2)
    }
}
