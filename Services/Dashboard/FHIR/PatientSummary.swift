import FHIRMapping
import Foundation
import VigilSchema

/// The International Patient Summary of a person, as a document: http://hl7.org/fhir/uv/ips. Its required sections are always there; where nobody
/// entered anything, they say that there is no information.
struct PatientSummary: Sendable {
    let person: KnownPerson
    let bus: SuiteClient
    let base: String
    let now: Timestamp

    /// A Bundle of the type document.
    struct Document: Encodable {
        let resourceType = "Bundle"
        let type = "document"
        let identifier: FHIR.Identifier
        let timestamp: String
        let entry: [FHIRBundle.Entry]
    }

    private struct Section {
        let title: String
        let code: String
        let resources: [FHIRResource]
    }

    func document() async throws -> Document {
        let patient = try FHIR.Patient(person.participant, person.profile)
        let sections = try await sections()
        let id = UUID().uuidString.lowercased()
        let composition = FHIR.Composition(
            id: id, of: person.participant, at: now,
            sections.map { section in
                .init(
                    section.title, code: section.code, lines: section.resources.map(\.line),
                    references: section.resources.map { "\($0.type)/\($0.id)" })
            })
        let resources =
            [FHIRResource("Composition", id, composition), FHIRResource("Patient", patient.id, patient)] + sections.flatMap(\.resources)
        return Document(
            identifier: .init(system: "urn:ietf:rfc:3986", value: "urn:uuid:" + id), timestamp: now.iso8601(),
            entry: resources.map { .init(fullUrl: "\(base)/\($0.type)/\($0.id)", resource: $0, search: nil) })
    }

    private func sections() async throws -> [Section] {
        let entries = try await EntryResources.resources([.allergy, .condition, .medication, .immunization], of: person.participant, bus)
        let source = ObservationSource(bus: bus, participant: person.participant)
        let vitals = try await source.newest(1, .category("vital-signs"), mostCodes: 100)
        let results = try await source.newest(1, .category("laboratory"), mostCodes: 100)
        let optional = [
            Section(title: "Immunizations", code: "11369-6", resources: entries.filter { $0.type == "Immunization" }),
            Section(title: "Vital signs", code: "8716-3", resources: vitals),
            Section(title: "Results", code: "30954-2", resources: results),
        ]
        return [
            required("Problems", "11450-4", .condition, entries.filter { $0.type == "Condition" }),
            required("Allergies and intolerances", "48765-2", .allergy, entries.filter { $0.type == "AllergyIntolerance" }),
            required("Medications", "10160-0", .medication, entries.filter { $0.type == "MedicationStatement" }),
        ] + optional.filter { !$0.resources.isEmpty }
    }

    private func required(_ title: String, _ code: String, _ kind: TimelineEntry.Kind, _ found: [FHIRResource]) -> Section {
        let none = FHIR.Entry(absent: kind, of: person.participant).map { [FHIRResource($0.resourceType, $0.id, $0)] } ?? []
        return Section(title: title, code: code, resources: found.isEmpty ? none : found)
    }
}

extension FHIRResource {
    /// A line of a narrative.
    fileprivate var line: String {
        if let entry {
            let name = [entry.code, entry.medicationCodeableConcept, entry.vaccineCode].compactMap { $0?.text }.joined(separator: " ")
            return name + Self.remarks([entry.clinicalStatus?.coding?.first?.code ?? entry.status, Self.days(of: entry)])
        }
        guard let observation else { return id }
        let value = observation.valueQuantity.map { "\($0.comparator ?? "")\($0.value.map(FHIR.number) ?? "") \($0.unit)" }
        let parts = (observation.component ?? []).compactMap { $0.valueQuantity?.value.map(FHIR.number) }.joined(separator: "/")
        let day = (observation.effectiveDateTime ?? observation.effectivePeriod?.start).map { String($0.prefix(10)) }
        return "\(observation.code.text ?? ""): \(value ?? observation.valueString ?? parts)" + Self.remarks([day])
    }

    /// The day of an entry, or the days from which and to which it holds.
    private static func days(of entry: FHIR.Entry) -> String? {
        let period = entry.effectivePeriod ?? entry.period
        let start = period?.start ?? entry.onsetDateTime ?? entry.occurrenceDateTime, end = period?.end ?? entry.abatementDateTime
        let days = [start, end].compactMap { $0.map { String($0.prefix(10)) } }
        return days.isEmpty ? nil : days.joined(separator: " – ")
    }

    /// In brackets; nothing where there is none.
    private static func remarks(_ remarks: [String?]) -> String {
        let known = remarks.compactMap(\.self)
        return known.isEmpty ? "" : " (\(known.joined(separator: ", ")))"
    }
}
