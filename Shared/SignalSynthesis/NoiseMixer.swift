import Signals

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Random numbers that are the same for the same seed on every machine: SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Starts the sequence that belongs to `seed`.
    package init(seed: UInt64) { state = seed }

    /// The next 64 bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Evenly distributed from 0 up to, but not including, 1.
    package mutating func uniform() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Normally distributed, mean 0 and standard deviation 1 (Box–Muller).
    package mutating func normal() -> Double {
        let radius = (-2 * log(1 - uniform())).squareRoot()
        return radius * cos(2 * .pi * uniform())
    }

    /// The wait for the next event of a process with `rate` events a second, in seconds.
    package mutating func wait(rate: Double) -> Double { -log(1 - uniform()) / rate }
}

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

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Adds noise to a recording as the Noise Stress Test Database does: after five clean minutes, two minutes with noise
/// and two without, by turns.
///
/// Signal to noise as its `nst` program counts it: signal power is the squared peak-to-peak height of the QRS over 8,
/// noise power the mean square of the noise in seconds freed from their mean, extremes of both left out.
package enum NoiseMixer {
    /// The recording with noise at `decibels`. `beats` are the sample positions of the R peaks.
    package static func mix(_ signal: [Float], beats: [Int64], rate: Double, decibels: Double, seed: UInt64) -> [Float] {
        var generator = ElectrodeNoise(rate: rate, seed: seed)
        let noise = signal.indices.map { _ in Float(generator.next()) }
        let height = peakToPeak(signal, beats: beats, rate: rate)
        let ratio = height * height / 8 / (noisePower(noise, rate: rate) * pow(10, decibels / 10))
        let gain = Float(ratio.squareRoot())
        return signal.indices.map { isNoisy($0, rate: rate) ? signal[$0] + gain * noise[$0] : signal[$0] }
    }

    /// Returns whether the sample is in one of the noisy spans.
    package static func isNoisy(_ index: Int, rate: Double) -> Bool {
        let time = Double(index) / rate - 300
        return time >= 0 && time.truncatingRemainder(dividingBy: 240) < 120
    }

    private static func peakToPeak(_ signal: [Float], beats: [Int64], rate: Double) -> Double {
        let reach = Int(0.05 * rate)
        let heights = beats.compactMap { beat -> Double? in
            let (from, to) = (Int(beat) - reach, Int(beat) + reach)
            guard from >= 0, to < signal.count else { return nil }
            let window = signal[from...to]
            return Double((window.max() ?? 0) - (window.min() ?? 0))
        }
        return trimmedMean(heights)
    }

    private static func noisePower(_ noise: [Float], rate: Double) -> Double {
        let length = Int(rate)
        let powers = stride(from: 0, through: noise.count - length, by: length).map { start -> Double in
            let window = noise[start..<start + length].map(Double.init)
            let mean = window.reduce(0, +) / Double(length)
            return window.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(length)
        }
        return trimmedMean(powers)
    }

    /// The mean without the lowest and the highest twentieth.
    private static func trimmedMean(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let cut = sorted.count / 20
        let kept = sorted[cut..<max(cut, sorted.count - cut)]
        return kept.isEmpty ? 0 : kept.reduce(0, +) / Double(kept.count)
    }
}

/// Brings a recording to another sampling rate, offline: low-pass forward and backward where it gets slower, then cubic
/// interpolation (E. Catmull, R. Rom, 1974).
package enum Resampler {
    /// The samples at `target` instead of `rate` samples a second.
    package static func resample(_ samples: [Float], from rate: Double, to target: Double) -> [Float] {
        guard rate != target, let first = samples.first else { return samples }
        let source = target < rate ? smoothed(samples, corner: 0.42 * target, rate: rate, first: first) : samples
        return (0..<Int(Double(samples.count) * target / rate)).map { index in
            interpolate(source, at: Double(index) * rate / target)
        }
    }

    private static func smoothed(_ samples: [Float], corner: Double, rate: Double, first: Float) -> [Float] {
        var result = samples
        for _ in 0..<2 {
            var filter = Butterworth.lowPass(order: 4, corner: corner, rate: rate)
            filter.settle(at: Double(result.first ?? first))
            result = result.map { Float(filter.step(Double($0))) }
            result.reverse()
        }
        return result
    }

    private static func interpolate(_ x: [Float], at time: Double) -> Float {
        let index = min(Int(time), x.count - 1)
        let part = Float(time - Double(index))
        let a = x[max(0, index - 1)]
        let b = x[index]
        let c = x[min(index + 1, x.count - 1)]
        let d = x[min(index + 2, x.count - 1)]
        let curve = 2 * a - 5 * b + 4 * c - d + part * (3 * (b - c) + d - a)
        return b + 0.5 * part * (c - a + part * curve)
    }
}
