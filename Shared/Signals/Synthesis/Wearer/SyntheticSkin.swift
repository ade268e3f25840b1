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
