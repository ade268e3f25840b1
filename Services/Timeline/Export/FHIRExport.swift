import FHIRMapping
import Foundation
import VigilSchema

/// FHIR R4 as newline-delimited JSON: a Patient for each participant, then an Observation for each observation, with LOINC (or MDC) codes,
/// UCUM units, and SampledData for waveforms; then what people entered, and of a complete export replaced values as Observations entered in error and
/// alerts as Communications. A metric without a public code is named by Vigil's own and in words.
///
/// The two blood pressures of one time are one Observation, as the vital-signs profile has it. Ids are made from the identity, so that
/// exporting again gives the same ids.
struct FHIRExport: ExportEncoder {
    private let profile: ParticipantProfile?
    private let encoder: JSONEncoder
    private var patients: Set<String> = []
    private var assembly = FHIRAssembly()

    init(profile: ParticipantProfile?) {
        self.profile = profile
        encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    mutating func begin(_ output: inout [UInt8]) {}

    mutating func add(_ group: ObservationGroup, to output: inout [UInt8]) throws {
        try addPatient(group.participant, to: &output)
        for observation in group.observations {
            for resource in assembly.add(observation, of: group) { try line(resource, to: &output) }
        }
    }

    mutating func add(_ record: TimelineRecord, of participant: String, to output: inout [UInt8]) throws {
        try flush(to: &output)
        if case .profile = record { return try line(patient(participant, record), to: &output) }
        try addPatient(participant, to: &output)
        switch record {
        case .profile: break
        case .entry(let entry, _):
            switch entry.kind {
            case .result, .note: try line(FHIREntries.observation(entry, of: participant, record), to: &output)
            default: try line(FHIREntries.resource(entry, of: participant, record), to: &output)
            }
        case .alert(let alert): try line(FHIREvents.communication(alert, of: participant), to: &output)
        case .replaced(let value): try line(FHIREvents.observation(value, of: participant), to: &output)
        }
    }

    mutating func end(_ output: inout [UInt8]) throws { try flush(to: &output) }

    private mutating func flush(to output: inout [UInt8]) throws {
        for resource in assembly.finish() { try line(resource, to: &output) }
    }

    private func line(_ resource: some Encodable, to output: inout [UInt8]) throws {
        output.append(contentsOf: try encoder.encode(resource))
        output.append(0x0A)
    }

    private mutating func addPatient(_ participant: String, to output: inout [UInt8]) throws {
        guard patients.insert(participant).inserted else { return }
        try flush(to: &output)
        try line(patient(participant, nil), to: &output)
    }

    /// - Parameter record: the profile as it is to be restored; FHIR's members do not hold all of it.
    private mutating func patient(_ participant: String, _ record: TimelineRecord?) throws -> FHIR.Patient {
        patients.insert(participant)
        return try FHIR.Patient(participant, profile, record)
    }
}
