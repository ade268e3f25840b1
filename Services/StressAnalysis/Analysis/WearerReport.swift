import Signals

/// What can be said of a person at a moment.
struct WearerReport: Sendable {
    /// The moment, Unix seconds.
    var time: Double
    /// What stress is computed from.
    var inputs = StressInputs()
    /// Whether the wearer moves.
    var isMoving = false
    /// Beats a minute over the last 15 s.
    var heartRate: Double?
    /// Over the last 60 s.
    var variability: HeartRateVariability?
    /// Once a minute, over five.
    var longTerm: LongTerm?
    /// Breaths a minute.
    var breathing: BreathingPattern?
    /// Responses a minute.
    var responseRate: Double?
    /// Their mean amplitude in µS.
    var responseAmplitude: Double?
    /// 0…1; nil where there is no such signal.
    var heartQuality: Double?
    /// 0…1; nil where there is no such signal.
    var breathingQuality: Double?
    /// 0…1; nil where there is no such signal.
    var skinQuality: Double?
    /// Why something cannot be said, in plain words; empty where all is well.
    var reasons: [String] = []

    /// Measures that need minutes.
    struct LongTerm: Sendable {
        var variability: HeartRateVariability
        var spectrum: SpectralVariability?
        var baevsky: Double?
        var alpha1: Double?
    }
}
