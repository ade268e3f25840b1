import Foundation
import VigilSchema

/// FHIR R4 as newline-delimited JSON: a Patient for each participant, then an Observation for each observation, with LOINC (or MDC) codes,
/// UCUM units, and SampledData for waveforms; then what people entered, and of a complete export replaced values as Observations entered in error and
/// alerts as Communications. A metric without a public code is named in words only.
///
/// The two blood pressures of one time are one Observation, as the vital-signs profile has it. Ids are made from the identity, so that
/// exporting again gives the same ids.
struct FHIRExport: ExportEncoder {
    private let profile: ParticipantProfile?
    private let encoder: JSONEncoder
    private var patients: Set<String> = []
    /// Of one moment: written once something else comes.
    private var pressure: BloodPressure?

    init(profile: ParticipantProfile?) {
        self.profile = profile
        encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    mutating func begin(_ output: inout [UInt8]) {}

    mutating func add(_ group: ObservationGroup, to output: inout [UInt8]) throws {
        try addPatient(group.participant, to: &output)
        for observation in group.observations {
            if let part = BloodPressure(observation, of: group) {
                guard pressure?.merge(part) != true else { continue }
                try flush(to: &output)
                pressure = part
            } else {
                if let pressure, pressure.time != observation.time { try flush(to: &output) }
                try line(FHIRObservations.resource(observation, of: group), to: &output)
            }
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
        guard let pressure else { return }
        self.pressure = nil
        try line(pressure.resource, to: &output)
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
        var name: FHIR.HumanName?
        if let profile, profile.first != nil || profile.last != nil || profile.pseudonym != nil {
            name = FHIR.HumanName(family: profile.last, given: profile.first.map { [$0] }, text: profile.pseudonym)
        }
        return FHIR.Patient(
            id: FHIRId.of(participant: participant), extension: try record.map { [try .record($0)] },
            identifier: [.init(system: "urn:vigil:participant", value: participant)],
            name: name.map { [$0] }, gender: profile?.sex?.rawValue, birthDate: profile?.birthDate)
    }
}

/// Observations of sensors as FHIR resources.
enum FHIRObservations {
    static func resource(_ observation: Observation, of group: ObservationGroup) -> FHIR.Observation {
        let definition = MetricCatalogue.standard.definition(named: observation.metric)
        var resource = start(
            observation, of: group, named: observation.metric, category: category(definition),
            code: code(observation.metric, definition, source: group.source))
        switch observation.content {
        case .value(let value): resource.valueQuantity = FHIR.Quantity(value, observation.unit)
        case .text(let text):
            if let quantity = bound(text, observation.unit, definition) {
                resource.valueQuantity = quantity
                // `≤40` and `< 40` become the same number: the text is what comes back.
                if "\(quantity.comparator ?? "")\(quantity.value.map(CSVExport.number) ?? "")" != text {
                    resource.extension = [.init(url: "urn:vigil:text", valueString: text)]
                }
            } else if text.contains(where: { !$0.isWhitespace }) {
                resource.valueString = text
            } else {
                // FHIR has no string without a letter.
                resource.dataAbsentReason = FHIRObservations.absent
                resource.extension = [.init(url: "urn:vigil:text", valueString: "\"" + text + "\"")]
            }
            // A string has no unit.
            if definition == nil, observation.unit != "1" {
                resource.extension = (resource.extension ?? []) + [.init(url: "urn:vigil:unit", valueString: observation.unit)]
            }
        case .samples(let samples, let period):
            resource.valueSampledData = FHIR.SampledData(
                origin: FHIR.Quantity(0, observation.unit), period: period * 1000,
                data: samples.map(CSVExport.number).joined(separator: " "))
            if period * 1000 / 1000 != period { resource.extension = [.init(url: "urn:vigil:period", valueDecimal: period)] }
        }
        return resource
    }

    /// All but the value. What counts over an interval has a period in place of a moment.
    static func start(
        _ observation: Observation, of group: ObservationGroup, named metric: String, category: String, code: FHIR.CodeableConcept
    ) -> FHIR.Observation {
        var identity = [group.participant, metric, group.source, String(observation.time.microseconds), String(observation.sequence)]
        if observation.interval > 0 { identity.append(String(observation.interval)) }
        var resource = FHIR.Observation(
            id: FHIRId.of(identity), identifier: [.init(system: "urn:vigil:observation", value: identity.joined(separator: "|"))],
            category: [Self.category(category)], code: code,
            subject: .init(reference: "Patient/" + FHIRId.of(participant: group.participant), type: "Patient"),
            issued: group.received.iso8601(), device: FHIR.Named(display: group.source))
        if let session = group.session { resource.identifier.append(.init(system: "urn:vigil:session", value: session)) }
        let time = observation.time.iso8601(zone: observation.zone)
        if observation.interval > 0 {
            let end = observation.time.advanced(bySeconds: Double(observation.interval))
            resource.effectivePeriod = FHIR.Period(start: time, end: end.iso8601(zone: observation.zone))
        } else {
            resource.effectiveDateTime = time
        }
        return resource
    }

    /// The stand-in for a value that is not there.
    static let absent = FHIR.CodeableConcept(
        coding: [.init(system: "http://terminology.hl7.org/CodeSystem/data-absent-reason", code: "unknown")], text: nil)

    static func category(_ code: String) -> FHIR.CodeableConcept {
        .init(coding: [.init(system: "http://terminology.hl7.org/CodeSystem/observation-category", code: code)], text: code)
    }

    static func loinc(_ codes: String..., text: String) -> FHIR.CodeableConcept {
        .init(coding: codes.map { .init(system: "http://loinc.org", code: $0) }, text: text)
    }

    private static func code(_ metric: String, _ definition: MetricDefinition?, source: String) -> FHIR.CodeableConcept {
        switch metric {
        // The profile of vital signs asks for the more general code.
        case "oxygen-saturation": return loinc("59408-5", "2708-6", text: "Oxygen saturation")
        case "blood-glucose" where isGlucoseSensor(source): return loinc("99504-3", text: "Glucose by sensor, interstitial fluid")
        default: break
        }
        guard let definition, let code = definition.code else { return .init(coding: nil, text: definition?.title ?? metric) }
        return .init(coding: [.init(system: code.system, code: code.code)], text: definition.title)
    }

    /// Sensors that measure under the skin all day, by their makers' names; another source is taken for a meter that pricks the finger.
    static func isGlucoseSensor(_ source: String) -> Bool {
        let name = source.lowercased()
        return ["cgm", "dexcom", "libre", "guardian", "enlite", "eversense", "medtronic", "nightscout", "carelink", "sensor"].contains {
            name.contains($0)
        }
    }

    /// "<40": a number that lies outside of what the sensor can tell.
    private static func bound(_ text: String, _ unit: String, _ definition: MetricDefinition?) -> FHIR.Quantity? {
        guard definition?.kind != .text else { return nil }
        for (sign, comparator) in [("<=", "<="), (">=", ">="), ("≤", "<="), ("≥", ">="), ("<", "<"), (">", ">")] where text.hasPrefix(sign)
        {
            guard let value = Double(decimal: text.dropFirst(sign.count).trimmingCharacters(in: .whitespaces)) else { return nil }
            return FHIR.Quantity(value, unit, comparator: comparator)
        }
        return nil
    }

    private static func category(_ definition: MetricDefinition?) -> String {
        guard let definition else { return "activity" }
        if vitalSigns.contains(definition.name) { return "vital-signs" }
        if definition.name == "blood-glucose" { return "laboratory" }
        return definition.kind == .waveform ? "procedure" : definition.kind == .text ? "survey" : "activity"
    }

    /// The members of the R4 vital-signs profile (http://hl7.org/fhir/R4/observation-vitalsigns.html) that Vigil has.
    private static let vitalSigns: Set<String> = [
        "heart-rate", "respiration-rate", "body-temperature", "oxygen-saturation", "systolic-pressure", "diastolic-pressure",
        "body-weight", "body-height", "body-mass-index",
    ]
}

/// The systolic and the diastolic pressure of one moment: LOINC's panel 85354-9.
struct BloodPressure {
    private let group: ObservationGroup
    private let observation: Observation
    private var values: [String: Double]

    var time: Timestamp { observation.time }

    /// Nil for any other observation.
    init?(_ observation: Observation, of group: ObservationGroup) {
        guard ["systolic-pressure", "diastolic-pressure"].contains(observation.metric), case .value(let value) = observation.content else {
            return nil
        }
        var group = group
        group.observations = []
        (self.group, self.observation, values) = (group, observation, [observation.metric: value])
    }

    /// Takes in the other pressure of the same moment and source, and says whether it was that.
    mutating func merge(_ other: BloodPressure) -> Bool {
        guard group.participant == other.group.participant, group.source == other.group.source, observation.time == other.observation.time,
            group.session == other.group.session, group.received == other.group.received,
            observation.zone == other.observation.zone,
            observation.sequence == other.observation.sequence, observation.interval == other.observation.interval,
            values[other.observation.metric] == nil
        else { return false }
        values.merge(other.values) { first, _ in first }
        return true
    }

    var resource: FHIR.Observation {
        var resource = FHIRObservations.start(
            observation, of: group, named: "blood-pressure", category: "vital-signs",
            code: FHIRObservations.loinc("85354-9", text: "Blood pressure panel"))
        resource.component = [
            component("systolic-pressure", "8480-6", "Systolic blood pressure"),
            component("diastolic-pressure", "8462-4", "Diastolic blood pressure"),
        ]
        return resource
    }

    private func component(_ metric: String, _ code: String, _ title: String) -> FHIR.Observation.Component {
        var component = FHIR.Observation.Component(code: FHIRObservations.loinc(code, text: title))
        if let value = values[metric] {
            component.valueQuantity = FHIR.Quantity(value, "mm[Hg]")
        } else {
            component.dataAbsentReason = FHIRObservations.absent
        }
        return component
    }
}
