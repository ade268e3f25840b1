package import VigilSchema

/// The past in a complete export, besides observations and entries, as FHIR R4 resources: transitions of alerts, and replaced values.
package enum FHIREvents {
    /// A transition of an alert: who reads the export sees what was told; the extension has all of it.
    package static func communication(_ alert: AlertMessage, of participant: String) throws -> FHIR.Communication {
        let identity = [participant, "alert", alert.rule, String(alert.sequence), String(Timestamp(seconds: alert.time).microseconds)]
        let shown = { (texts: [String: String]) in texts["en"] ?? texts.min { $0.key < $1.key }?.value }
        let title = shown(alert.title) ?? alert.rule
        return FHIR.Communication(
            id: FHIRId.of(identity), extension: [try .record(.alert(alert))],
            identifier: [.init(system: "urn:vigil:alert", value: identity.joined(separator: "|"))],
            category: [
                .init(coding: [.init(system: "http://terminology.hl7.org/CodeSystem/communication-category", code: "alert")], text: "Alert")
            ],
            priority: priority(alert), subject: .init(reference: "Patient/" + FHIRId.of(participant: participant), type: "Patient"),
            topic: .init(text: "\(title): \(alert.transition)"), sent: Timestamp(seconds: alert.time).iso8601(),
            payload: shown(alert.message).flatMap { $0.isEmpty ? nil : [.init(contentString: $0)] })
    }

    private static func priority(_ alert: AlertMessage) -> String {
        switch alert.severity {
        case "critical": "stat"
        case "warning": "urgent"
        default: "routine"
        }
    }

    /// A value that was replaced: an Observation that was entered in error, so that nobody counts it.
    package static func observation(_ value: ReplacedValue, of participant: String) throws -> FHIR.Observation {
        let content: Observation.Content =
            if let samples = value.samples {
                .samples(samples, period: value.period ?? 1)
            } else {
                value.value.map { .value($0) } ?? .text(value.text ?? "")
            }
        let observation = Observation(
            metric: value.metric, time: value.time, sequence: value.sequence,
            interval: value.samples == nil ? Int32(value.period ?? 0) : 0, content: content, unit: value.unit, zone: value.zone)
        let group = ObservationGroup(
            participant: participant, source: value.source, session: value.session, received: value.received, observations: [])
        let present = FHIRObservations.resource(observation, of: group)
        let identity = present.identifier.map(\.value) + ["replaced", String(value.received.microseconds), String(value.number)]
        var resource = FHIR.Observation(
            id: FHIRId.of(identity), extension: [try .record(.replaced(value))], identifier: [], status: "entered-in-error",
            category: present.category, code: present.code, subject: present.subject, effectiveDateTime: present.effectiveDateTime,
            effectivePeriod: present.effectivePeriod, issued: present.issued, device: present.device)
        (resource.valueQuantity, resource.valueString, resource.valueSampledData, resource.dataAbsentReason) = (
            present.valueQuantity, present.valueString, present.valueSampledData, present.dataAbsentReason
        )
        resource.identifier = [.init(system: "urn:vigil:replaced", value: identity.joined(separator: "|"))]
        return resource
    }
}
