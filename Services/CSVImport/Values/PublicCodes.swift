import VigilSchema

/// The metric of a code in a public system, or of a vital sign's name.
///
/// Sources: LOINC's vital-signs panel 85353-1; SNOMED CT observable entities.
package enum PublicCodes {
    /// The metric of one code of LOINC, SNOMED CT or MDC.
    package static func metric(code: String) -> String? {
        code.isEmpty ? nil : byCode[code] ?? catalogue[code] ?? MetricCatalogue.laboratoryCodes[code]
    }

    static func metric(codes: [String: [String]]) -> String? {
        let metrics = Set(codes.values.joined().compactMap { metric(code: $0) })
        return metrics.count == 1 ? metrics.first : nil
    }

    static func metric(description: String) -> String? { byName[description.lowercased()] }

    /// The unit that a code fixes, of LOINC's by its property (mass or amount of substance in a volume) and example unit; nil where values in several
    /// units come under one code, as of weight and temperature.
    static func unit(code: String) -> String? { units[code] }

    private static let units = [
        "2339-0": "mg/dL", "2345-7": "mg/dL", "99504-3": "mg/dL", "15074-8": "mmol/L", "14745-4": "mmol/L", "14743-9": "mmol/L",
        "14682-9": "umol/L", "14933-6": "umol/L", "14771-0": "mmol/L", "59261-8": "mmol/mol", "14647-2": "mmol/L", "22748-8": "mmol/L",
        "14646-4": "mmol/L", "14927-8": "mmol/L", "59260-0": "mmol/L",
    ]

    private static let catalogue = Dictionary(
        MetricCatalogue.standard.definitions.compactMap { definition in definition.code.map { ($0.code, definition.name) } }
    ) { first, _ in first }

    private static let byCode = [
        "271649006": "systolic-pressure", "8480-6": "systolic-pressure", "271650006": "diastolic-pressure", "8462-4": "diastolic-pressure",
        "60621009": "body-mass-index", "39156-5": "body-mass-index", "364075005": "heart-rate", "8867-4": "heart-rate",
        "86290005": "respiration-rate", "9279-1": "respiration-rate", "386725007": "body-temperature", "8310-5": "body-temperature",
        "27113001": "body-weight", "29463-7": "body-weight", "50373000": "body-height", "8302-2": "body-height",
        "2339-0": "blood-glucose", "2345-7": "blood-glucose", "15074-8": "blood-glucose", "14745-4": "blood-glucose",
        "99504-3": "blood-glucose",
        "99505-0": "blood-glucose", "14743-9": "blood-glucose", "3141-9": "body-weight", "3137-7": "body-height",
        "8331-1": "body-temperature",
        "55423-8": "steps", "41950-7": "steps", "8889-8": "pulse-rate", "72514-3": "pain", "41981-2": "energy",
        "431314004": "oxygen-saturation", "59408-5": "oxygen-saturation", "2708-6": "oxygen-saturation",
    ]

    private static let byName = [
        "systolic blood pressure": "systolic-pressure", "diastolic blood pressure": "diastolic-pressure", "bmi": "body-mass-index",
        "body mass index": "body-mass-index", "heart rate": "heart-rate", "pulse": "heart-rate", "respiratory rate": "respiration-rate",
        "body temperature": "body-temperature", "temperature": "body-temperature", "weight": "body-weight", "body weight": "body-weight",
        "height": "body-height", "body height": "body-height", "oxygen saturation": "oxygen-saturation",
    ]
}
