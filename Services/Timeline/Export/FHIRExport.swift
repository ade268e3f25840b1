import Foundation
import VigilSchema

/// FHIR R4 as newline-delimited JSON: a Patient for each participant, then an Observation for each observation, with LOINC (or MDC) codes,
/// UCUM units, and SampledData for waveforms. A metric without a public code is named in words only.
///
/// Ids are made from the identity, so that exporting again gives the same ids.
struct FHIRExport: ExportEncoder {
    private let profile: ParticipantProfile?
    private let encoder: JSONEncoder
    private var patients: Set<String> = []

    init(profile: ParticipantProfile?) {
        self.profile = profile
        encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    mutating func begin(_ output: inout [UInt8]) {}

    mutating func add(_ group: ObservationGroup, to output: inout [UInt8]) throws {
        if patients.insert(group.participant).inserted { try line(patient(group.participant), to: &output) }
        for observation in group.observations { try line(resource(observation, of: group), to: &output) }
    }

    mutating func end(_ output: inout [UInt8]) {}

    private func line(_ resource: some Encodable, to output: inout [UInt8]) throws {
        output.append(contentsOf: try encoder.encode(resource))
        output.append(0x0A)
    }

    private func patient(_ participant: String) -> FHIR.Patient {
        var name: FHIR.HumanName?
        if let profile, profile.first != nil || profile.last != nil || profile.pseudonym != nil {
            name = FHIR.HumanName(family: profile.last, given: profile.first.map { [$0] }, text: profile.pseudonym)
        }
        return FHIR.Patient(
            id: FHIRId.of(participant: participant), identifier: [.init(system: "urn:vigil:participant", value: participant)],
            name: name.map { [$0] }, gender: profile?.sex?.rawValue, birthDate: profile?.birthDate)
    }

    private func resource(_ observation: Observation, of group: ObservationGroup) -> FHIR.Observation {
        let definition = MetricCatalogue.standard.definition(named: observation.metric)
        var resource = FHIR.Observation(
            id: FHIRId.of(observation, in: group),
            identifier: [.init(system: "urn:vigil:observation", value: identity(observation, group))],
            category: [category(definition)], code: code(observation.metric, definition),
            subject: .init(reference: "Patient/" + FHIRId.of(participant: group.participant), type: "Patient", display: nil),
            effectiveDateTime: InstantText.iso8601(observation.time, zone: observation.zone),
            issued: InstantText.iso8601(group.received), device: .init(display: group.source))
        switch observation.content {
        case .value(let value): resource.valueQuantity = quantity(value, observation.unit)
        case .text(let text): resource.valueString = text
        case .samples(let samples, let period):
            resource.valueSampledData = FHIR.SampledData(
                origin: quantity(0, observation.unit), period: period * 1000,
                data: samples.map(CSVExport.number).joined(separator: " "))
        }
        return resource
    }

    private func quantity(_ value: Double, _ unit: String) -> FHIR.Quantity {
        FHIR.Quantity(value: value, unit: unit == "1" ? "1" : unit, code: unit)
    }

    private func code(_ metric: String, _ definition: MetricDefinition?) -> FHIR.CodeableConcept {
        guard let definition, let code = definition.code else { return .init(coding: nil, text: definition?.title ?? metric) }
        return .init(coding: [.init(system: code.system, code: code.code, display: nil)], text: definition.title)
    }

    private func category(_ definition: MetricDefinition?) -> FHIR.CodeableConcept {
        let isVital = definition.map { FHIRExport.vitalSigns.contains($0.name) } ?? false
        let code = isVital ? "vital-signs" : definition?.kind == .waveform ? "procedure" : "activity"
        return .init(
            coding: [.init(system: "http://terminology.hl7.org/CodeSystem/observation-category", code: code, display: nil)], text: code)
    }

    private func identity(_ observation: Observation, _ group: ObservationGroup) -> String {
        "\(group.participant)|\(observation.metric)|\(group.source)|\(observation.time.microseconds)|\(observation.sequence)"
    }

    /// The members of the R4 vital-signs profile (http://hl7.org/fhir/R4/observation-vitalsigns.html) that Vigil has.
    private static let vitalSigns: Set<String> = [
        "heart-rate", "respiration-rate", "body-temperature", "oxygen-saturation", "systolic-pressure", "diastolic-pressure",
        "body-weight", "body-height", "body-mass-index",
    ]
}
