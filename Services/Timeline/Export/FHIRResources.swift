import VigilSchema

/// The parts of FHIR R4 (http://hl7.org/fhir/R4) that an export needs, as they stand in its JSON.
enum FHIR {
    struct Coding: Encodable {
        let system: String
        let code: String
        var display: String?
    }

    struct CodeableConcept: Encodable {
        var coding: [Coding]?
        var text: String?
    }

    struct Identifier: Encodable {
        let system: String
        let value: String
    }

    struct Reference: Encodable {
        let reference: String
        var type: String?
    }

    struct Quantity: Encodable {
        var value: Double?
        /// `<`, `<=`, `>=` or `>`, where the sensor could not tell more.
        var comparator: String?
        let unit: String
        let system: String?
        let code: String?

        /// - Parameter unit: where it is no UCUM unit it is told in words only.
        init(_ value: Double?, _ unit: String, comparator: String? = nil) {
            self.value = value
            self.comparator = comparator
            self.unit = unit
            code = UCUM.code(unit)
            system = code == nil ? nil : "http://unitsofmeasure.org"
        }
    }

    struct SampledData: Encodable {
        let origin: Quantity
        /// Milliseconds between samples.
        let period: Double
        let dimensions = 1
        /// Numbers separated by spaces.
        let data: String
    }

    /// Something of Vigil's own, by a URI: what FHIR has no member for.
    struct Extension: Encodable {
        let url: String
        var valueString: String?
        var valueDecimal: Double?

        /// A record of the timeline as JSON, from which an import restores it exactly.
        static func record(_ record: TimelineRecord) throws -> Self {
            Self(url: "urn:vigil:record", valueString: String(decoding: try recordJSON(record), as: UTF8.self))
        }
    }

    struct Period: Encodable {
        let start: String
        var end: String?
    }

    struct HumanName: Encodable {
        let family: String?
        let given: [String]?
        let text: String?
    }

    struct Annotation: Encodable {
        let text: String
    }

    /// A name without a resource of its own.
    struct Named: Encodable {
        let display: String
    }

    /// http://hl7.org/fhir/R4/observation.html
    struct Observation: Encodable {
        /// A part of it: of blood pressure the systolic or the diastolic one.
        struct Component: Encodable {
            let code: CodeableConcept
            var valueQuantity: Quantity?
            var dataAbsentReason: CodeableConcept?
        }

        let resourceType = "Observation"
        let id: String
        var `extension`: [Extension]?
        var identifier: [Identifier]
        var status = "final"
        let category: [CodeableConcept]
        let code: CodeableConcept
        let subject: Reference
        var effectiveDateTime: String?
        var effectivePeriod: Period?
        let issued: String
        var device: Named?
        var valueQuantity: Quantity?
        var valueString: String?
        var valueSampledData: SampledData?
        var dataAbsentReason: CodeableConcept?
        var component: [Component]?
        var note: [Annotation]?
    }

    /// http://hl7.org/fhir/R4/patient.html
    struct Patient: Encodable {
        let resourceType = "Patient"
        let id: String
        var `extension`: [Extension]?
        let identifier: [Identifier]
        let name: [HumanName]?
        let gender: String?
        let birthDate: String?
    }

    /// http://hl7.org/fhir/R4/communication.html
    struct Communication: Encodable {
        struct Payload: Encodable {
            let contentString: String
        }

        let resourceType = "Communication"
        let id: String
        let `extension`: [Extension]
        let identifier: [Identifier]
        let status = "completed"
        let category: [CodeableConcept]
        let priority: String
        let subject: Reference
        let topic: CodeableConcept
        let sent: String
        let payload: [Payload]?
    }

    /// An entry that a person made, as whichever resource fits; the members that the others have are left out.
    struct Entry: Encodable {
        var resourceType: String
        let id: String
        var `extension`: [Extension]?
        let identifier: [Identifier]
        var status: String?
        var intent: String?
        var `class`: Coding?
        var clinicalStatus: CodeableConcept?
        var code: CodeableConcept?
        var type: [CodeableConcept]?
        var medicationCodeableConcept: CodeableConcept?
        var vaccineCode: CodeableConcept?
        var title: String?
        var subject: Reference?
        var patient: Reference?
        var onsetDateTime: String?
        var abatementDateTime: String?
        var occurrenceDateTime: String?
        var effectivePeriod: Period?
        var performedPeriod: Period?
        var period: Period?
        var note: [Annotation]?
    }
}

/// Ids of FHIR resources: 1–64 of `A-Za-z0-9-.`, made from Vigil's own identities.
enum FHIRId {
    /// The name itself where FHIR allows it (it lacks `_`), else a hash of it.
    static func of(participant: String) -> String {
        participant.utf8.contains(UInt8(ascii: "_")) ? "p-" + of([participant]) : participant
    }

    /// A hash of the parts of an identity, 128 bits: a collision among 10^12 observations has a chance of about 10^-15. FNV-1a
    /// (http://www.isthe.com/chongo/tech/comp/fnv), as 32 hexadecimal digits.
    static func of(_ parts: [String]) -> String {
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
