import Foundation
package import VigilSchema

/// The parts of FHIR R4 (http://hl7.org/fhir/R4) that an export and the server need, as they stand in its JSON.
package enum FHIR {
    /// The shortest text that reads back as the same number.
    package static func number(_ value: Double) -> String {
        if let integer = Int64(exactly: value), integer.magnitude < 1 << 53 { return String(integer) }
        return value.description
    }

    package struct Meta: Encodable, Sendable {
        package var lastUpdated: String

        package init(lastUpdated: String) { self.lastUpdated = lastUpdated }
    }

    package struct Coding: Encodable, Sendable {
        package let system: String
        package let code: String
        package var display: String?
    }

    package struct CodeableConcept: Encodable, Sendable {
        package var coding: [Coding]?
        package var text: String?
    }

    package struct Identifier: Encodable, Sendable {
        package let system: String
        package let value: String

        package init(system: String, value: String) { (self.system, self.value) = (system, value) }
    }

    package struct Reference: Encodable, Sendable {
        package let reference: String
        package var type: String?
    }

    package struct Quantity: Encodable, Sendable {
        package var value: Double?
        /// `<`, `<=`, `>=` or `>`, where the sensor could not tell more.
        package var comparator: String?
        package let unit: String
        package let system: String?
        package let code: String?

        /// - Parameter unit: where it is no UCUM unit it is told in words only.
        package init(_ value: Double?, _ unit: String, comparator: String? = nil) {
            self.value = value
            self.comparator = comparator
            self.unit = unit
            code = UCUM.code(unit)
            system = code == nil ? nil : "http://unitsofmeasure.org"
        }
    }

    package struct SampledData: Encodable, Sendable {
        package let origin: Quantity
        /// Milliseconds between samples.
        package let period: Double
        package let dimensions = 1
        /// Numbers separated by spaces.
        package let data: String
    }

    /// Something of Vigil's own, by a URI: what FHIR has no member for.
    package struct Extension: Encodable, Sendable {
        package let url: String
        package var valueString: String?
        package var valueDecimal: Double?

        /// A record of the timeline as JSON, from which an import restores it exactly.
        package static func record(_ record: TimelineRecord) throws -> Self {
            Self(url: "urn:vigil:record", valueString: String(decoding: try record.json(), as: UTF8.self))
        }
    }

    package struct Period: Encodable, Sendable {
        package let start: String
        package var end: String?
    }

    package struct HumanName: Encodable, Sendable {
        package let family: String?
        package let given: [String]?
        package let text: String?
    }

    package struct Annotation: Encodable, Sendable {
        package let text: String
    }

    /// A name, in an export without a resource of its own.
    package struct Named: Encodable, Sendable {
        package let display: String
        package var reference: String?
    }

    /// http://hl7.org/fhir/R4/observation.html
    package struct Observation: Encodable, Sendable {
        /// A part of it: of blood pressure the systolic or the diastolic one.
        package struct Component: Encodable, Sendable {
            package let code: CodeableConcept
            package var valueQuantity: Quantity?
            package var dataAbsentReason: CodeableConcept?
        }

        package let resourceType = "Observation"
        package let id: String
        /// Set by the server.
        package var meta: Meta?
        package var `extension`: [Extension]?
        package var identifier: [Identifier]
        package var status = "final"
        package let category: [CodeableConcept]
        package let code: CodeableConcept
        package let subject: Reference
        package var effectiveDateTime: String?
        package var effectivePeriod: Period?
        package let issued: String
        package var device: Named?
        package var valueQuantity: Quantity?
        package var valueString: String?
        package var valueSampledData: SampledData?
        package var dataAbsentReason: CodeableConcept?
        package var component: [Component]?
        package var note: [Annotation]?
    }

    /// http://hl7.org/fhir/R4/patient.html
    package struct Patient: Encodable, Sendable {
        package let resourceType = "Patient"
        package let id: String
        package var `extension`: [Extension]?
        package let identifier: [Identifier]
        package let name: [HumanName]?
        package let gender: String?
        package let birthDate: String?

        /// - Parameter record: the profile as it is to be restored; FHIR's members do not hold all of it.
        package init(_ participant: String, _ profile: ParticipantProfile?, _ record: TimelineRecord? = nil) throws {
            id = FHIRId.of(participant: participant)
            `extension` = try record.map { [try .record($0)] }
            identifier = [.init(system: "urn:vigil:participant", value: participant)]
            let isNamed = profile?.first != nil || profile?.last != nil || profile?.pseudonym != nil
            name = isNamed ? [HumanName(family: profile?.last, given: profile?.first.map { [$0] }, text: profile?.pseudonym)] : nil
            (gender, birthDate) = (profile?.sex?.rawValue, profile?.birthDate)
        }
    }

    /// http://hl7.org/fhir/R4/communication.html
    package struct Communication: Encodable, Sendable {
        package struct Payload: Encodable, Sendable {
            package let contentString: String
        }

        package let resourceType = "Communication"
        package let id: String
        package let `extension`: [Extension]
        package let identifier: [Identifier]
        package let status = "completed"
        package let category: [CodeableConcept]
        package let priority: String
        package let subject: Reference
        package let topic: CodeableConcept
        package let sent: String
        package let payload: [Payload]?
    }

    /// An entry that a person made, as whichever resource fits; the members that the others have are left out.
    package struct Entry: Encodable, Sendable {
        package var resourceType: String
        package let id: String
        package var `extension`: [Extension]?
        package let identifier: [Identifier]?
        package var status: String?
        package var intent: String?
        package var `class`: Coding?
        package var clinicalStatus: CodeableConcept?
        package var code: CodeableConcept?
        package var type: [CodeableConcept]?
        package var medicationCodeableConcept: CodeableConcept?
        package var vaccineCode: CodeableConcept?
        package var title: String?
        package var subject: Reference?
        package var patient: Reference?
        package var onsetDateTime: String?
        package var abatementDateTime: String?
        package var occurrenceDateTime: String?
        package var effectivePeriod: Period?
        package var performedPeriod: Period?
        package var period: Period?
        package var note: [Annotation]?
    }
}

/// Ids of FHIR resources: 1–64 of `A-Za-z0-9-.`, made from Vigil's own identities.
package enum FHIRId {
    /// The name itself where FHIR allows it (it lacks `_`), else a hash of it.
    package static func of(participant: String) -> String {
        participant.utf8.contains(UInt8(ascii: "_")) ? "p-" + of([participant]) : participant
    }

    /// The id of an observation. It says of whom and when: a server finds the resource by it, which a hash alone would not let it.
    package static func of(observation identity: [String], of participant: String, at time: Timestamp) -> String {
        let digits = String(UInt64(max(0, time.microseconds - earliest)), radix: 36)
        let padding = String(repeating: "0", count: max(0, digitsOfTime - digits.utf8.count))
        return "\(mark(of: participant))-\(padding)\(digits)-\(of(identity))"
    }

    /// The id of an entry, which says of whom it is.
    package static func of(entry: String, of participant: String) -> String {
        "\(mark(of: participant))-e-\(of([participant, "entry", entry]))"
    }

    /// The eight hexadecimal digits with which ids of a participant's resources begin; two participants may have the same.
    package static func mark(of participant: String) -> String { String(of([participant]).suffix(8)) }

    /// The time in the id of an observation; nil in another id.
    package static func time(in id: String) -> Timestamp? {
        let parts = id.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].utf8.count == 8, parts[2].utf8.count == 32, parts[1].utf8.count == digitsOfTime,
            let offset = Int64(parts[1], radix: 36), (0...lasting).contains(offset)
        else { return nil }
        return Timestamp(microseconds: earliest + offset)
    }

    /// As many as the year 9999 has.
    private static let digitsOfTime = 12

    /// The beginning of the year 1, and how long it is until the year 10000, in microseconds.
    private static let (earliest, lasting): (Int64, Int64) = (-62_135_596_800_000_000, 315_537_897_599_999_999)

    /// A hash of the parts of an identity, 128 bits: a collision among 10^12 observations has a chance of about 10^-15. FNV-1a
    /// (http://www.isthe.com/chongo/tech/comp/fnv), as 32 hexadecimal digits.
    package static func of(_ parts: [String]) -> String {
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
