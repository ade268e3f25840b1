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
