/// What the e-Health shield's library returns for a sensor that is not connected.
///
/// Its functions return 0 where nothing was measured yet, and −1 for conductance and resistance without contact (eHealth
/// library 2.4, `getSkinConductance`). None of these metrics can be 0 in a living wearer, so 0 means "no sensor".
enum SensorAbsence {
    /// Whether the value says that there is no sensor rather than what it measured.
    static func isAbsent(_ value: Double, metric: String) -> Bool {
        switch metric {
        case "heart-rate", "oxygen-saturation", "systolic-pressure", "diastolic-pressure", "blood-glucose", "body-temperature",
            "body-position":
            value == 0
        case "skin-conductance", "skin-resistance": value == -1
        default: false
        }
    }
}
