/// A beat in a blood-volume signal.
package struct PulseBeat: Hashable, Sendable {
    /// The sample of its highest point, counted from the first sample that the detector was given.
    package var position: Int64
    /// The mean of the signal since the beat before was found, in the signal's unit: it sways with the breath.
    package var level: Float
}

/// Finds the pulse in a blood-volume signal, where there is no electrocardiogram, at 20 to 2000 samples a second.
///
/// A value without I/O; depends on the samples alone; allocates nothing a sample. Band-pass 0.7–5 Hz, then the same
/// zigzag as for breaths, at most 180 beats a minute, 240 where all are of full size. A moving wrist makes waves of its own: mind the motion.
package struct PulseDetector: Sendable, Codable {
    /// The rates that it is made for, samples a second; with a hundredth beyond them nothing is wrong but the device's clock.
    package static let rates = 19.8...2020

    private var tracker: WaveTracker
    /// The sum of the samples since the last beat was found, and their number; nil before the first.
    private var sum: Double?
    private var count: Double?

    /// Makes a detector for a signal of `rate` samples a second, brought to 20–2000 Hz.
    package init(rate: Double) {
        let rate = min(max(rate, 20), 2000)
        tracker = WaveTracker(
            rate: rate, bridge: 0.2, filter: Butterworth.bandPass(order: 2, low: 0.7, high: 5, rate: rate),
            zigzag: Zigzag(rate: rate, shortest: 0.33, least: 0.25, memory: 10, share: 0.35),
            integrity: SignalIntegrity(rate: rate, step: 0.05, window: 4, floor: 1e-6))
    }

    /// Samples a second.
    package var rate: Double { tracker.rate }

    /// The problem with the signal itself; nil where nothing is.
    package var fault: SignalFault? { tracker.fault }

    /// A Boolean value that indicates whether beats come too fast to be told apart.
    package var isTooFast: Bool { tracker.isTooFast }

    /// The spread of intervals, as a share of their median, above which beats may have been missed or be none: the rate would be wrong.
    private static let widest = 0.4

    /// Returns whether intervals are so irregular that no rate is to be told: of their middle three quarters, which single beats do not reach.
    package static func isIrregular(_ intervals: [Double]) -> Bool {
        guard intervals.count >= 3 else { return false }
        let sorted = intervals.sorted(), edge = sorted.count / 8
        return sorted[sorted.count - 1 - edge] - sorted[edge] > widest * sorted[sorted.count / 2]
    }

    /// Takes samples and appends the beats that they made certain. What is no number counts as missing.
    package mutating func process(_ samples: Span<Float>, into beats: inout [PulseBeat]) {
        for index in samples.indices {
            if abs(samples[index]) < 1e9 { (sum, count) = ((sum ?? 0) + Double(samples[index]), (count ?? 0) + 1) }
            guard let beat = tracker.take(samples[index]), let sum, let count else { continue }
            if tracker.integrity.isSound { beats.append(PulseBeat(position: beat.position, level: Float(sum / count))) }
            (self.sum, self.count) = (nil, nil)
        }
    }

    /// Says that `count` samples are missing.
    package mutating func skip(_ count: Int) { tracker.skip(count) }
}
