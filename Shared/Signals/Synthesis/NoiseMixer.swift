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

    /// Whether the sample is in one of the noisy spans.
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
