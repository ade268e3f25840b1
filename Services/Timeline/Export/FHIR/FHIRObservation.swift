extension FHIR {
    /// http://hl7.org/fhir/R4/observation.html
    struct Observation: Encodable {
        let resourceType = "Observation"
        let id: String
        let identifier: [Identifier]
        let status = "final"
        let category: [CodeableConcept]
        let code: CodeableConcept
        let subject: Reference
        let effectiveDateTime: String
        let issued: String
        let device: Device
        var valueQuantity: Quantity?
        var valueString: String?
        var valueSampledData: SampledData?

        /// The device by its name, without a resource of its own.
        struct Device: Encodable {
            let display: String
        }
    }

    /// http://hl7.org/fhir/R4/patient.html
    struct Patient: Encodable {
        let resourceType = "Patient"
        let id: String
        let identifier: [Identifier]
        let name: [HumanName]?
        let gender: String?
        let birthDate: String?
    }
}
