import Foundation
package import VigilSchema

/// The entries that people made as FHIR R4 resources: Condition, AllergyIntolerance, MedicationStatement, Immunization, Procedure, Encounter,
/// CarePlan, and
/// Observation for findings and notes.
package enum FHIREntries {
    /// - Parameter now: The moment at which it is told, nil for the present: a course that ends later is not over.
    package static func resource(
        _ entry: TimelineEntry, of participant: String, _ record: TimelineRecord, now: Timestamp? = nil
    ) throws -> FHIR.Entry {
        let isOver = entry.ends.map { $0.seconds <= now?.seconds ?? Date.now.timeIntervalSince1970 } ?? false
        let patient = FHIR.Reference(reference: "Patient/" + FHIRId.of(participant: participant), type: "Patient")
        var resource = FHIR.Entry(
            resourceType: "", id: id(entry, participant), extension: [try .record(record)], identifier: [identifier(entry, participant)],
            note: (entry.detail ?? entry.text).map { [.init(text: $0)] })
        let start = entry.time.iso8601(), end = entry.ends.map { $0.iso8601() }
        let period = FHIR.Period(start: start, end: end)
        switch entry.kind {
        case .condition:
            resource.resourceType = "Condition"
            resource.clinicalStatus = status("condition-clinical", isOver ? "resolved" : "active")
            resource.code = code(entry)
            resource.subject = patient
            (resource.onsetDateTime, resource.abatementDateTime) = (start, isOver ? end : nil)
        case .allergy:
            resource.resourceType = "AllergyIntolerance"
            resource.clinicalStatus = status("allergyintolerance-clinical", isOver ? "resolved" : "active")
            resource.code = code(entry)
            resource.patient = patient
            resource.onsetDateTime = start
        case .medication:
            resource.resourceType = "MedicationStatement"
            resource.status = isOver ? "completed" : "active"
            resource.medicationCodeableConcept = code(entry)
            resource.subject = patient
            resource.effectivePeriod = period
        case .immunization:
            resource.resourceType = "Immunization"
            resource.status = "completed"
            resource.vaccineCode = code(entry)
            resource.patient = patient
            resource.occurrenceDateTime = start
        case .procedure:
            resource.resourceType = "Procedure"
            resource.status = "completed"
            resource.code = code(entry)
            resource.subject = patient
            resource.performedPeriod = period
        case .encounter:
            resource.resourceType = "Encounter"
            resource.status = "finished"
            resource.class = .init(system: "http://terminology.hl7.org/CodeSystem/v3-ActCode", code: "AMB", display: "ambulatory")
            resource.type = [code(entry)]
            resource.subject = patient
            resource.period = period
            // An Encounter has no remarks.
            resource.note = nil
        case .regimen, .note, .result:
            resource.resourceType = "CarePlan"
            resource.status = isOver ? "completed" : "active"
            resource.intent = "plan"
            resource.title = entry.description
            resource.subject = patient
            resource.period = period
        }
        return resource
    }

    /// A finding or a note.
    package static func observation(_ entry: TimelineEntry, of participant: String, _ record: TimelineRecord) throws -> FHIR.Observation {
        var resource = FHIR.Observation(
            id: id(entry, participant), extension: [try .record(record)], identifier: [identifier(entry, participant)],
            category: [FHIRObservations.category(entry.kind == .result ? "laboratory" : "survey")],
            code: entry.kind == .result ? code(entry) : .init(text: "Note"),
            subject: .init(reference: "Patient/" + FHIRId.of(participant: participant), type: "Patient"),
            effectiveDateTime: entry.time.iso8601(), issued: entry.time.iso8601())
        if entry.kind == .note {
            resource.valueString = entry.description
        } else if let value = entry.value {
            resource.valueQuantity = FHIR.Quantity(value, entry.unit ?? "1")
        } else {
            resource.valueString = entry.text
        }
        resource.note = entry.detail.map { [.init(text: $0)] }
        return resource
    }

    private static func id(_ entry: TimelineEntry, _ participant: String) -> String { FHIRId.of(entry: entry.id, of: participant) }

    private static func identifier(_ entry: TimelineEntry, _ participant: String) -> FHIR.Identifier {
        .init(system: "urn:vigil:entry", value: "\(participant)|\(entry.id)")
    }

    static func status(_ system: String, _ code: String) -> FHIR.CodeableConcept {
        .init(coding: [.init(system: "http://terminology.hl7.org/CodeSystem/" + system, code: code)], text: nil)
    }

    private static func code(_ entry: TimelineEntry) -> FHIR.CodeableConcept {
        let codings = (entry.codes ?? [:]).sorted { $0.key < $1.key }.flatMap { system, codes in
            codes.filter { !$0.isEmpty && !$0.contains(where: \.isWhitespace) }.map { FHIR.Coding(system: uri(system), code: $0) }
        }
        return .init(coding: codings.isEmpty ? nil : codings, text: entry.description)
    }

    /// The URIs of http://hl7.org/fhir/R4/terminologies-systems.html, by the names that hReader gives the systems.
    private static func uri(_ system: String) -> String {
        switch system.lowercased().filter({ $0.isLetter || $0.isNumber }) {
        case "loinc": "http://loinc.org"
        case "snomed", "snomedct": "http://snomed.info/sct"
        case "rxnorm": "http://www.nlm.nih.gov/research/umls/rxnorm"
        case "icd10cm": "http://hl7.org/fhir/sid/icd-10-cm"
        case "icd10": "http://hl7.org/fhir/sid/icd-10"
        case "icd9cm", "icd9": "http://hl7.org/fhir/sid/icd-9-cm"
        case "cvx": "http://hl7.org/fhir/sid/cvx"
        case "cpt": "http://www.ama-assn.org/go/cpt"
        case "ndc": "http://hl7.org/fhir/sid/ndc"
        default: "urn:vigil:codes:" + system.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        }
    }
}
