/// Turns samples inside and outside a burst of energy into one candidate a burst.
struct QRSBurst: Sendable {
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
