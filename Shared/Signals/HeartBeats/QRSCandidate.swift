/// A burst of energy in the QRS band, which may be a heart beat.
struct QRSCandidate: Sendable {
    /// The sample of the largest deflection in the band.
    var peak: Int64
    /// The root of the largest short-time energy, in the signal's unit.
    var amplitude: Double
    /// The largest step between two samples of the band, in the signal's unit a second.
    var slope: Double
    /// How many samples the burst lasted.
    var length: Int
}
