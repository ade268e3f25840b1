package import VigilSchema

/// What a patient record became: a profile, entries, observations, and an account of everything that was odd.
package struct PatientRecord: Sendable {
    /// Something odd, and what was done about it.
    package struct Problem: Hashable, Sendable {
        /// Where it stands: `$.vital_signs[3].value`.
        package let path: String
        /// In words, without values.
        package let reason: String
        /// Whether the item was left out for it.
        package let isRejected: Bool
    }

    package internal(set) var profile = ParticipantProfile()
    package internal(set) var entries: [TimelineEntry] = []
    package internal(set) var observations: [Observation] = []
    package internal(set) var problems: [Problem] = []
    /// How many items the record holds; kept + rejected.
    package internal(set) var items = 0

    /// Items that were left out.
    package var rejected: Int { problems.count { $0.isRejected } }
}

/// Which metric a vital sign of a patient record is, by its codes and by its name.
///
/// Sources: LOINC's vital-signs panel 85353-1; SNOMED CT observable entities.
enum VitalSignCodes {
    static func metric(codes: [String: [String]]) -> String? {
        let metrics = Set(codes.values.joined().compactMap { byCode[$0] })
        return metrics.count == 1 ? metrics.first : nil
    }

    static func metric(description: String) -> String? { byName[description.lowercased()] }

    private static let byCode = [
        "271649006": "systolic-pressure", "8480-6": "systolic-pressure", "271650006": "diastolic-pressure", "8462-4": "diastolic-pressure",
        "60621009": "body-mass-index", "39156-5": "body-mass-index", "364075005": "heart-rate", "8867-4": "heart-rate",
        "86290005": "respiration-rate", "9279-1": "respiration-rate", "386725007": "body-temperature", "8310-5": "body-temperature",
        "27113001": "body-weight", "29463-7": "body-weight", "50373000": "body-height", "8302-2": "body-height",
        "431314004": "oxygen-saturation", "59408-5": "oxygen-saturation", "2708-6": "oxygen-saturation",
    ]

    private static let byName = [
        "systolic blood pressure": "systolic-pressure", "diastolic blood pressure": "diastolic-pressure", "bmi": "body-mass-index",
        "body mass index": "body-mass-index", "heart rate": "heart-rate", "pulse": "heart-rate", "respiratory rate": "respiration-rate",
        "body temperature": "body-temperature", "temperature": "body-temperature", "weight": "body-weight", "body weight": "body-weight",
        "height": "body-height", "body height": "body-height", "oxygen saturation": "oxygen-saturation",
    ]
}
