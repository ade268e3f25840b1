/// Which scores are worked out, and how.
package struct ScoreSettings: Hashable, Sendable {
    /// Whose limits name a blood pressure.
    package enum PressureGuideline: String, Sendable, CaseIterable {
        /// ACC/AHA 2017.
        case acc2017 = "acc-aha-2017"
        /// ESC 2024.
        case esc2024 = "esc-2024"
    }

    package var isNEWS2On = false
    /// A vital sign older than this makes NEWS2 incomplete, in microseconds.
    package var staleAfter: Int64 = 12 * 3600 * 1_000_000
    package var isBloodPressureOn = false
    package var pressureGuideline = PressureGuideline.acc2017
    package var isGlucoseOn = false
    package var isBodyMassIndexOn = false
    package var isTemperatureOn = false

    package init() {}

    package var isAnyOn: Bool { isNEWS2On || isBloodPressureOn || isGlucoseOn || isBodyMassIndexOn || isTemperatureOn }
}
