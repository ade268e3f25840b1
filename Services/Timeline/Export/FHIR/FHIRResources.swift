/// The parts of FHIR R4 (http://hl7.org/fhir/R4) that an export needs, as they stand in its JSON.
enum FHIR {
    struct Coding: Encodable {
        let system: String
        let code: String
        let display: String?
    }

    struct CodeableConcept: Encodable {
        let coding: [Coding]?
        let text: String
    }

    struct Identifier: Encodable {
        let system: String
        let value: String
    }

    struct Reference: Encodable {
        let reference: String
        let type: String?
        let display: String?
    }

    struct Quantity: Encodable {
        let value: Double
        let unit: String
        let system = "http://unitsofmeasure.org"
        let code: String
    }

    struct SampledData: Encodable {
        let origin: Quantity
        /// Milliseconds between samples.
        let period: Double
        let dimensions = 1
        /// Numbers separated by spaces.
        let data: String
    }

    struct HumanName: Encodable {
        let family: String?
        let given: [String]?
        let text: String?
    }
}
