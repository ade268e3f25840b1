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
