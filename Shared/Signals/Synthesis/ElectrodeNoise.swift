#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Noise as ambulatory electrodes make it: baseline wander, muscle, and bursts from electrodes that are pushed and pulled.
///
/// The bursts look like ectopic beats, which is what makes them hard. Synthetic: a sudden or gradual shift that creeps
/// back, rebounds and oscillations of heavy-tailed sizes, so that detectors can be developed without the recorded noise
/// of the MIT-BIH Noise Stress Test Database (G. B. Moody et al., Computers in Cardiology 11: 381–384, 1984).
package struct ElectrodeNoise: Sendable {
    private let rate: Double
    private var random: SeededGenerator
    private var walk = 0.0
    private var untilBurst = 0.0
    private var bursts: [Burst] = []
    private var muscle: FilterCascade

    /// Makes a generator for `rate` samples a second. The same seed gives the same noise.
    package init(rate: Double, seed: UInt64) {
        self.rate = rate
        random = SeededGenerator(seed: seed)
        muscle = Butterworth.bandPass(order: 1, low: 15, high: 90, rate: rate)
    }

    /// The next sample; of no particular scale (``NoiseMixer`` sets it).
    package mutating func next() -> Double {
        walk = walk * (1 - 0.3 / rate) + random.normal() * (1 / rate).squareRoot() * 0.6
        untilBurst -= 1 / rate
        if untilBurst <= 0 { start() }
        var sum = walk + 0.12 * muscle.step(random.normal()) * (rate / 360).squareRoot()
        for index in bursts.indices { sum += bursts[index].next(step: 1 / rate) }
        bursts.removeAll { $0.isOver }
        return sum
    }

    private mutating func start() {
        untilBurst = random.wait(rate: 3)
        let size = exp(0.9 * random.normal()) * (random.uniform() < 0.5 ? -1 : 1)
        bursts.append(
            Burst(
                size: size, rise: 0.006 * exp(2.5 * random.uniform()), fall: 0.03 * exp(2 * random.uniform()),
                frequency: 3 + 12 * random.uniform(), swing: random.uniform()))
    }

    /// One push at an electrode: a rise, then a fall back that may swing.
    private struct Burst: Sendable {
        var size: Double
        var rise: Double
        var fall: Double
        var frequency: Double
        var swing: Double
        var time = 0.0

        var isOver: Bool { time > rise + 6 * fall }

        mutating func next(step: Double) -> Double {
            time += step
            let shape = (1 - exp(-time / rise)) * exp(-time / fall)
            return size * shape * (1 - swing + swing * cos(2 * .pi * frequency * time))
        }
    }
}
