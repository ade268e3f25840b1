package import VigilSchema

/// How the names that e-Health servers and vehicles use become metrics: whatever their case, spaces and punctuation.
package struct SensorNames: Sendable, Equatable {
    /// Metrics by name, the names without case and punctuation.
    private var metrics: [String: String]

    /// The usual names, and those of the catalogue.
    /// - Parameter additional: An operator's own, by name; they come before the usual ones.
    package init(catalogue: MetricCatalogue = .standard, additional: [String: String] = [:]) {
        metrics = Dictionary(
            catalogue.definitions.map { (SensorNames.bare($0.name), $0.name) }, uniquingKeysWith: { first, _ in first })
        metrics.merge(SensorNames.usual) { _, usual in usual }
        metrics.merge(additional.map { (SensorNames.bare($0.key), $0.value) }) { _, own in own }
    }

    /// The metric; an unknown name as it is.
    func metric(of name: String) -> String { metrics[SensorNames.bare(name)] ?? name }

    /// Letters and digits alone, in lower case.
    private static func bare(_ name: String) -> String {
        name.lowercased().filter { $0.isLetter || $0.isNumber }
    }

    private static let usual: [String: String] = [
        "pulse": "heart-rate", "bpm": "heart-rate", "hr": "heart-rate", "beatsperminute": "heart-rate",
        "temperature": "body-temperature", "temp": "body-temperature",
        "gsr": "skin-conductance", "eda": "skin-conductance", "conductance": "skin-conductance",
        "galvanicskinresponse": "skin-conductance", "resistance": "skin-resistance",
        "spo2": "oxygen-saturation", "oxygen": "oxygen-saturation", "oxygeninblood": "oxygen-saturation",
        "systolic": "systolic-pressure", "bloodpressuresystolic": "systolic-pressure",
        "diastolic": "diastolic-pressure", "bloodpressurediastolic": "diastolic-pressure",
        "glucose": "blood-glucose", "glucometer": "blood-glucose", "electrocardiogram": "ecg", "breathing": "airflow",
        "position": "body-position", "patientposition": "body-position", "speed": "vehicle-speed", "vehiclespeedkmh": "vehicle-speed",
    ]
}
