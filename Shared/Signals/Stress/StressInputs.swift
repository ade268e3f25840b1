/// What stress is computed from: medians over the last 60 s. Nil where a signal is missing or failed its quality check.
package struct StressInputs: Hashable, Sendable {
    /// Beats a minute.
    package var heartRate: Double?
    /// The slow level in µS.
    package var skinConductance: Double?
    /// Breaths a minute.
    package var breathingRate: Double?
    /// Whether the breathing is irregular, as while speaking.
    package var breathesIrregularly: Bool
    /// Of the skin, °C.
    package var temperature: Double?

    /// Makes inputs.
    package init(
        heartRate: Double? = nil, skinConductance: Double? = nil, breathingRate: Double? = nil,
        breathesIrregularly: Bool = false, temperature: Double? = nil
    ) {
        self.heartRate = heartRate
        self.skinConductance = skinConductance
        self.breathingRate = breathingRate
        self.breathesIrregularly = breathesIrregularly
        self.temperature = temperature
    }
}
