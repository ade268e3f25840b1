/// Keeps the last seconds of the signal itself, and finds in it the R peak that belongs to a burst.
///
/// Without this step the beats are right but their times are not: the band's peak lags by the filter's delay.
struct PeakFinder: Sendable {
    private let mask: Int
    private let before: Int
    private let after: Int
    private let half: Int
    private var samples: [Float]

    init(rate: Double) {
        let size = Int(4 * rate).roundedUpToPowerOfTwo
        mask = size - 1
        samples = Array(repeating: 0, count: size)
        before = Int(0.12 * rate)
        after = Int(0.03 * rate)
        half = Int(0.1 * rate)
    }

    @inline(__always)
    mutating func push(_ x: Float, at position: Int64) { samples[Int(truncatingIfNeeded: position) & mask] = x }

    /// Fills the past, for a start in the middle of a signal.
    mutating func restart(level: Float) {
        for index in samples.indices { samples[index] = level }
    }

    /// The sample, from 120 ms before to 30 ms after `peak`, furthest from the mean of the 200 ms around it.
    func find(near peak: Int64) -> (position: Int64, deflection: Float) {
        let middle = Int(truncatingIfNeeded: peak)
        var sum = 0.0
        for index in (middle - before - half)..<(middle - before + half) { sum += Double(samples[index & mask]) }
        var best = (position: peak, deflection: Float(0))
        for index in (middle - before)..<(middle + after) {
            let deflection = samples[index & mask] - Float(sum / Double(2 * half))
            if abs(deflection) > abs(best.deflection) { best = (Int64(index), deflection) }
            sum += Double(samples[(index + half) & mask]) - Double(samples[(index - half) & mask])
        }
        return best
    }

    /// How far the sample is from the mean of the 200 ms around it.
    func deflection(at position: Int64) -> Float {
        let middle = Int(truncatingIfNeeded: position)
        var sum: Float = 0
        for index in (middle - half)..<(middle + half) { sum += samples[index & mask] }
        return samples[middle & mask] - sum / Float(2 * half)
    }
}
