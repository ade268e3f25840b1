/// The statuses of FHIR resources that are no facts: entered in error, refuted, or never done.
///
/// Source: the value sets of FHIR R4 for each type's status.
enum FHIRStatus {
    /// The words for each type.
    private static let untrue: [String: Set<String>] = [
        "Observation": ["entered-in-error", "cancelled"], "Condition": ["entered-in-error", "refuted"],
        "AllergyIntolerance": ["entered-in-error", "refuted"], "MedicationStatement": ["entered-in-error", "not-taken"],
        "MedicationRequest": ["entered-in-error", "cancelled"], "MedicationAdministration": ["entered-in-error", "not-done"],
        "Immunization": ["entered-in-error", "not-done"], "Procedure": ["entered-in-error", "not-done"],
        "Encounter": ["entered-in-error", "cancelled"], "DiagnosticReport": ["entered-in-error", "cancelled"],
        "CarePlan": ["entered-in-error"], "Communication": ["entered-in-error", "not-done"],
    ]

    /// The word for such a status of this type; nil: the resource counts.
    static func objection(_ resource: JSONNode, _ type: String) -> String? {
        guard let words = untrue[type] else { return nil }
        if type == "MedicationRequest", resource["doNotPerform"]?.text == "true" { return "do-not-perform" }
        let verification = resource["verificationStatus"]
        let said = [resource["status"]?.text, verification?.text] + (verification?["coding"]?.elements.map { $0["code"]?.text } ?? [])
        return said.lazy.compactMap { $0 }.first(where: words.contains)
    }
}
