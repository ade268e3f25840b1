/// A burst of energy in the QRS band, which may be a heart beat.
struct QRSCandidate: Sendable, Codable {
    /// The sample of the largest deflection in the band.
    var peak: Int64
    /// The root of the largest short-time energy, in the signal's unit.
    var amplitude: Double
    /// The largest step between two samples of the band, in the signal's unit a second.
    var slope: Double
    /// The number of samples the burst lasted.
    var length: Int
}

/// Turns samples inside and outside a burst of energy into one candidate a burst.
struct QRSBurst: Sendable, Codable {
    private let shortest: Int
    private let longest: Int
    private let rate: Double
    private var open = false
    private var start: Int64 = 0
    private var energy = 0.0
    private var deflection: Float = 0
    private var slope: Float = 0
    private var peak: Int64 = 0

    init(rate: Double) {
        self.rate = rate
        shortest = Int((0.084 * rate).rounded())
        longest = Int(rate)
    }

    mutating func restart() { open = false }

    /// Takes a sample; returns a candidate where a burst has just ended.
    @inline(__always)
    mutating func step(_ sample: QRSEnergy.Sample) -> QRSCandidate? {
        guard sample.isBurst else { return open ? close(sample.position) : nil }
        if !open { begin(sample) }
        if sample.short > energy { energy = sample.short }
        let size = abs(sample.band)
        if size > deflection { (deflection, peak) = (size, sample.position) }
        slope = max(slope, abs(sample.step))
        return sample.position - start >= Int64(longest) ? close(sample.position) : nil
    }

    private mutating func begin(_ sample: QRSEnergy.Sample) {
        (open, start, peak) = (true, sample.position, sample.position)
        (energy, deflection, slope) = (0, 0, 0)
    }

    private mutating func close(_ end: Int64) -> QRSCandidate? {
        open = false
        let length = Int(end - start)
        guard length >= shortest else { return nil }
        return QRSCandidate(peak: peak, amplitude: energy.squareRoot(), slope: Double(slope) * rate, length: length)
    }
}

/// The energy of the QRS band (8–30 Hz) and its two centred running means, one sample after the other.
///
/// Method: two event-related moving averages (M. Elgendi, PLoS ONE 8(9): e73557, 2013) with the windows and the
/// threshold that did best on the MIT-BIH records. Looks 0.31 s ahead: what it says of sample n it says at n + 0.31 s.
struct QRSEnergy: Sendable, Codable {
    /// The facts known of the sample in the middle of the windows.
    struct Sample {
        var position: Int64
        var band: Float
        var step: Float
        var short: Double
        var isBurst: Bool
    }

    let lookAhead: Int
    let shortWindow: Int
    private let mask: Int
    private let halfShort: Int
    private let perShort: Double
    private let perLong: Double
    private let forgetting: Double
    private var first: SecondOrderSection
    private var second: SecondOrderSection
    private var band: [Float]
    private var next: Int64 = 0
    private var shortSum = 0.0
    private var longSum = 0.0
    private var mean: Double?

    init(rate: Double) {
        let filter = Butterworth.bandPass(order: 2, low: 8, high: 30, rate: rate)
        (first, second) = (filter.sections[0], filter.sections[1])
        shortWindow = Int(0.14 * rate)
        let long = Int(0.611 * rate)
        (halfShort, lookAhead) = (shortWindow / 2, long / 2)
        (perShort, perLong) = (1 / Double(2 * halfShort + 1), 1 / Double(2 * lookAhead + 1))
        forgetting = 1 / (100 * rate)
        let size = (2 * lookAhead + 2).roundedUpToPowerOfTwo
        mask = size - 1
        band = Array(repeating: 0, count: size)
    }

    /// Starts anew at `position` with a constant input of `level` in the past; the long-term mean energy stays.
    mutating func restart(at position: Int64, level: Double) {
        _ = second.settle(at: first.settle(at: level))
        for index in band.indices { band[index] = 0 }
        (shortSum, longSum, next) = (0, 0, position)
    }

    /// Takes a sample, and tells of the one `lookAhead` samples earlier.
    @inline(__always)
    mutating func step(_ x: Float) -> Sample {
        let filtered = Float(second.step(first.step(Double(x))))
        let index = Int(truncatingIfNeeded: next)
        let centre = index - lookAhead
        longSum += square(filtered) - square(band[(index - 2 * lookAhead - 1) & mask])
        band[index & mask] = filtered
        shortSum += square(band[(centre + halfShort) & mask]) - square(band[(centre - halfShort - 1) & mask])
        next += 1
        if index & 0xFFF == 0 { sumAnew(centre: centre, newest: index) }
        return sample(centre)
    }

    @inline(__always)
    private mutating func sample(_ centre: Int) -> Sample {
        let value = band[centre & mask]
        let long = longSum * perLong
        let average = mean ?? long
        let updated = average + forgetting * (square(value) - average)
        mean = updated
        let short = shortSum * perShort
        return Sample(
            position: Int64(centre), band: value, step: value - band[(centre - 1) & mask], short: short,
            isBurst: short > long + 0.25 * updated)
    }

    /// Adding and subtracting leaves a rounding error behind; after a huge artefact it would be larger than the signal.
    private mutating func sumAnew(centre: Int, newest: Int) {
        shortSum = 0
        longSum = 0
        for index in (newest - 2 * lookAhead)...newest { longSum += square(band[index & mask]) }
        for index in (centre - halfShort)...(centre + halfShort) { shortSum += square(band[index & mask]) }
    }

    @inline(__always)
    private func square(_ value: Float) -> Double { Double(value) * Double(value) }
}

/// Keeps the last seconds of the signal itself, and finds in it the R peak that belongs to a burst.
///
/// Without this step the beats are right but their times are not: the band's peak lags by the filter's delay.
struct PeakFinder: Sendable, Codable {
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

    /// The sample at a position, while it is kept.
    @inline(__always)
    subscript(position: Int64) -> Float { samples[Int(truncatingIfNeeded: position) & mask] }

    /// The number of samples that are kept.
    var capacity: Int { mask + 1 }

    /// The mean of as many samples around one.
    func mean(around middle: Int, width: Int) -> Float {
        var sum: Float = 0
        for index in (middle - width / 2)..<(middle - width / 2 + width) { sum += samples[index & mask] }
        return sum / Float(width)
    }

    /// The distance of the sample from the mean of the 200 ms around it.
    func deflection(at position: Int64) -> Float {
        let middle = Int(truncatingIfNeeded: position)
        var sum: Float = 0
        for index in (middle - half)..<(middle + half) { sum += samples[index & mask] }
        return samples[middle & mask] - sum / Float(2 * half)
    }
}
