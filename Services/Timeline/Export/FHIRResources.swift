import VigilSchema

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

/// Ids of FHIR resources: 1–64 of `A-Za-z0-9-.`, made from Vigil's own identities.
enum FHIRId {
    /// The name itself where FHIR allows it (it lacks `_`), else a hash of it.
    static func of(participant: String) -> String {
        participant.utf8.contains(UInt8(ascii: "_")) ? "p-" + hash([participant]) : participant
    }

    /// A hash of the identity, 128 bits: a collision among 10^12 observations has a chance of about 10^-15.
    static func of(_ observation: Observation, in group: ObservationGroup) -> String {
        hash([
            group.participant, observation.metric, group.source, String(observation.time.microseconds), String(observation.sequence),
        ])
    }

    /// FNV-1a, 128 bits (http://www.isthe.com/chongo/tech/comp/fnv), as 32 hexadecimal digits.
    private static func hash(_ parts: [String]) -> String {
        var hash: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D
        let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013B
        for part in parts {
            for byte in part.utf8 { hash = (hash ^ UInt128(byte)) &* prime }
            // No part holds a byte 0xFF, so that it keeps "a" + "bc" and "ab" + "c" apart.
            hash = (hash ^ 0xFF) &* prime
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}
