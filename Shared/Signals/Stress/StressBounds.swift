/// A person's least and greatest values, between which the base mode places a reading.
package struct StressBounds: Hashable, Sendable {
    /// Beats a minute.
    package var heartRate: ClosedRange<Double>?
    /// µS.
    package var skinConductance: ClosedRange<Double>?
    /// Breaths a minute.
    package var breathingRate: ClosedRange<Double>?
    /// °C.
    package var temperature: ClosedRange<Double>?

    /// Makes bounds.
    package init(
        heartRate: ClosedRange<Double>? = nil, skinConductance: ClosedRange<Double>? = nil,
        breathingRate: ClosedRange<Double>? = nil, temperature: ClosedRange<Double>? = nil
    ) {
        self.heartRate = heartRate
        self.skinConductance = skinConductance
        self.breathingRate = breathingRate
        self.temperature = temperature
    }

    /// Where adults usually are.
    package static let population = StressBounds(
        heartRate: 50...120, skinConductance: 0...20, breathingRate: 8...30, temperature: 28...36)

    /// These bounds, completed by others where there are none.
    package func completed(by other: StressBounds) -> StressBounds {
        StressBounds(
            heartRate: heartRate ?? other.heartRate, skinConductance: skinConductance ?? other.skinConductance,
            breathingRate: breathingRate ?? other.breathingRate, temperature: temperature ?? other.temperature)
    }
}
