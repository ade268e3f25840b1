import Foundation
package import VigilSchema

/// Observations of sensors as FHIR resources.
package enum FHIRObservations {
    package static func resource(_ observation: Observation, of group: ObservationGroup) -> FHIR.Observation {
        let definition = MetricCatalogue.standard.definition(named: observation.metric)
        var resource = start(
            observation, of: group, named: observation.metric, category: category(definition),
            code: code(observation.metric, source: group.source))
        switch observation.content {
        case .value(let value): resource.valueQuantity = FHIR.Quantity(value, observation.unit)
        case .text(let text):
            if let quantity = bound(text, observation.unit, definition) {
                resource.valueQuantity = quantity
                // `≤40` and `< 40` become the same number: the text is what comes back.
                if "\(quantity.comparator ?? "")\(quantity.value.map(FHIR.number) ?? "")" != text {
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
                data: samples.map(FHIR.number).joined(separator: " "))
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
            id: FHIRId.of(observation: identity, of: group.participant, at: observation.time),
            identifier: [.init(system: "urn:vigil:observation", value: identity.joined(separator: "|"))],
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

    /// The metrics whose observations of one moment are one resource.
    package static let pressures: Set<String> = ["systolic-pressure", "diastolic-pressure"]
    package static let pressurePanel = loinc("85354-9", text: "Blood pressure panel")
    package static let systolic = loinc("8480-6", text: "Systolic blood pressure")
    package static let diastolic = loinc("8462-4", text: "Diastolic blood pressure")

    /// The stand-in for a value that is not there.
    static let absent = FHIR.CodeableConcept(
        coding: [.init(system: "http://terminology.hl7.org/CodeSystem/data-absent-reason", code: "unknown")], text: nil)

    package static func category(_ code: String) -> FHIR.CodeableConcept {
        .init(coding: [.init(system: "http://terminology.hl7.org/CodeSystem/observation-category", code: code)], text: code)
    }

    static func loinc(_ codes: String..., text: String) -> FHIR.CodeableConcept {
        .init(coding: codes.map { .init(system: "http://loinc.org", code: $0) }, text: text)
    }

    /// The system of the metrics' own names, which every observation has besides a public code.
    package static let metrics = "urn:vigil:metric"

    /// The codings of a metric's observations. Of glucose they depend on the source.
    package static func code(_ metric: String, source: String) -> FHIR.CodeableConcept {
        let definition = MetricCatalogue.standard.definition(named: metric)
        var concept = publicCode(metric, definition, source: source)
        // FHIR's codes have no white space but single ones within.
        if !metric.isEmpty, !metric.contains(where: \.isWhitespace) {
            concept.coding = (concept.coding ?? []) + [.init(system: metrics, code: metric)]
        }
        return concept
    }

    private static func publicCode(_ metric: String, _ definition: MetricDefinition?, source: String) -> FHIR.CodeableConcept {
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

    /// The category of a metric's observations.
    package static func category(of metric: String) -> String { category(MetricCatalogue.standard.definition(named: metric)) }

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
