#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A person at rest: medians over quiet minutes. What was not measured then is nil.
package struct StressBaseline: Hashable, Sendable {
    /// Beats a minute.
    package var heartRate: Double?
    /// The slow level in µS.
    package var skinConductance: Double?
    /// Breaths a minute.
    package var breathingRate: Double?
    /// Of the skin, °C.
    package var temperature: Double?

    /// Makes a baseline.
    package init(heartRate: Double?, skinConductance: Double?, breathingRate: Double?, temperature: Double? = nil) {
        self.heartRate = heartRate
        self.skinConductance = skinConductance
        self.breathingRate = breathingRate
        self.temperature = temperature
    }

    /// The medians of what was measured at rest; nil where neither heart rate nor skin conductance was.
    package init?(rest: [StressInputs]) {
        self.init(
            heartRate: Median.of(rest.compactMap(\.heartRate)), skinConductance: Median.of(rest.compactMap(\.skinConductance)),
            breathingRate: Median.of(rest.compactMap(\.breathingRate)), temperature: Median.of(rest.compactMap(\.temperature)))
        if heartRate == nil && skinConductance == nil { return nil }
    }

    /// An average adult, for as long as nothing is known of the person.
    package static let population = StressBaseline(heartRate: 72, skinConductance: 3, breathingRate: 15, temperature: 32)

    /// The bounds that follow from the rest for the base mode: as far below and above it as the enhanced mode looks.
    package var bounds: StressBounds {
        StressBounds(
            heartRate: heartRate.map { $0 - 5...$0 + 35 },
            skinConductance: skinConductance.map { exp(log(max($0, 0.01)) - 0.2)...exp(log(max($0, 0.01)) + 1) },
            breathingRate: breathingRate.map { $0 - 4...$0 + 12 },
            temperature: temperature.map { $0 - 2...$0 + 2 })
    }
}
