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

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// An airflow signal: breaths of slightly differing length and depth.
struct SyntheticBreathing: Sendable {
    private let step: Double
    private(set) var angle = 0.0
    private var pace = 1.0
    private var depth = 1.0
    private var random: SeededGenerator

    init(rate: Double, seed: UInt64) {
        step = 1 / rate
        random = SeededGenerator(seed: seed)
    }

    /// The next sample, about −1…1.
    mutating func next(_ state: WearerState) -> Double {
        angle += 2 * .pi * state.breathingRate / 60 * pace * step
        if angle > 2 * .pi { startBreath() }
        // Breathing in is quicker than breathing out.
        return depth * sin(angle + 0.3 * sin(angle)) + 0.01 * random.normal()
    }

    private mutating func startBreath() {
        angle -= 2 * .pi
        pace = exp(0.08 * random.normal())
        depth = exp(0.1 * random.normal())
    }
}

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A skin conductance: a level that follows slowly, and responses that rise in a second and fall in five
/// (M. Benedek, C. Kaernbach, J. Neurosci. Methods 190: 80–91, 2010).
struct SyntheticSkin: Sendable {
    private let step: Double
    private var level: Double?
    private var quick = 0.0
    private var slow = 0.0
    private var wait = 0.0
    private var random: SeededGenerator

    init(rate: Double, seed: UInt64) {
        step = 1 / rate
        random = SeededGenerator(seed: seed)
        wait = 20 * random.uniform()
    }

    /// The next sample in µS.
    mutating func next(_ state: WearerState) -> Double {
        let before = level ?? state.skinConductance
        let now = before + step / 25 * (state.skinConductance - before)
        level = now
        wait -= step
        if wait <= 0 { respond(state) }
        quick *= exp(-step / 0.75)
        slow *= exp(-step / 2.5)
        return max(0, now + slow - quick + 0.002 * random.normal())
    }

    private mutating func respond(_ state: WearerState) {
        wait = 2 + random.wait(rate: state.responseRate / 60)
        let size = min(0.35 * exp(0.4 * random.normal()), 1.5)
        quick += 2 * size
        slow += 2 * size
    }
}
