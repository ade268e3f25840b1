/// What a FHIR resource says of itself that makes it no fact: that it was entered in error, was refuted, or was never done.
///
/// Source: the value sets of FHIR R4 for each type's status.
enum FHIRStatus {
    /// Of each type the words that say it.
    private static let untrue: [String: Set<String>] = [
        "Observation": ["entered-in-error", "cancelled"], "Condition": ["entered-in-error", "refuted"],
        "AllergyIntolerance": ["entered-in-error", "refuted"], "MedicationStatement": ["entered-in-error", "not-taken"],
        "MedicationRequest": ["entered-in-error", "cancelled"], "MedicationAdministration": ["entered-in-error", "not-done"],
        "Immunization": ["entered-in-error", "not-done"], "Procedure": ["entered-in-error", "not-done"],
        "Encounter": ["entered-in-error", "cancelled"], "DiagnosticReport": ["entered-in-error", "cancelled"],
        "CarePlan": ["entered-in-error"], "Communication": ["entered-in-error", "not-done"],
    ]

    /// The word by which a resource of this type says so; nil where it is to be taken.
    static func objection(_ resource: JSONNode, _ type: String) -> String? {
        guard let words = untrue[type] else { return nil }
        if type == "MedicationRequest", resource["doNotPerform"]?.text == "true" { return "do-not-perform" }
        let verification = resource["verificationStatus"]
        let said = [resource["status"]?.text, verification?.text] + (verification?["coding"]?.elements.map { $0["code"]?.text } ?? [])
        return said.lazy.compactMap { $0 }.first(where: words.contains)
    }
}
