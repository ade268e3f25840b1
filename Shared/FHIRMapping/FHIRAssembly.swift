package import VigilSchema

/// Makes resources of observations that come in the order of time, in either direction: two blood pressures of one moment are one resource.
package struct FHIRAssembly: Sendable {
    /// Those of one moment, whose other halves may follow.
    private var pressures: [BloodPressure] = []
    private let isByIdentity: Bool

    /// - Parameter isByIdentity: whether two pressures that came apart are one resource too: no two have the same id then, and the resource has the
    ///   later receipt.
    package init(isByIdentity: Bool = false) { self.isByIdentity = isByIdentity }

    /// Adds an observation, and returns the resources that nothing can be added to any more.
    package mutating func add(_ observation: Observation, of group: ObservationGroup) -> [FHIR.Observation] {
        let done = pressures.first.map { $0.time != observation.time } ?? false ? finish() : []
        guard let part = BloodPressure(observation, of: group) else { return done + [FHIRObservations.resource(observation, of: group)] }
        for index in pressures.indices where pressures[index].merge(part, isByIdentity: isByIdentity) { return done }
        pressures.append(part)
        return done
    }

    /// The resources that are left.
    package mutating func finish() -> [FHIR.Observation] {
        defer { pressures = [] }
        return pressures.map(\.resource)
    }
}

/// The systolic and the diastolic pressure of one moment: LOINC's panel 85354-9.
struct BloodPressure: Sendable {
    private var group: ObservationGroup
    private let observation: Observation
    private var values: [String: Double]

    var time: Timestamp { observation.time }

    /// Nil for any other observation.
    init?(_ observation: Observation, of group: ObservationGroup) {
        guard FHIRObservations.pressures.contains(observation.metric), case .value(let value) = observation.content else { return nil }
        var group = group
        group.observations = []
        (self.group, self.observation, values) = (group, observation, [observation.metric: value])
    }

    /// Takes in the other pressure of the same moment and source, and says whether it was that.
    mutating func merge(_ other: BloodPressure, isByIdentity: Bool) -> Bool {
        guard group.participant == other.group.participant, group.source == other.group.source, observation.time == other.observation.time,
            observation.sequence == other.observation.sequence, observation.interval == other.observation.interval,
            isByIdentity || cameTogether(with: other), values[other.observation.metric] == nil
        else { return false }
        values.merge(other.values) { first, _ in first }
        group.received = max(group.received, other.group.received)
        return true
    }

    private func cameTogether(with other: BloodPressure) -> Bool {
        group.session == other.group.session && group.received == other.group.received && observation.zone == other.observation.zone
    }

    var resource: FHIR.Observation {
        var resource = FHIRObservations.start(
            observation, of: group, named: "blood-pressure", category: "vital-signs",
            code: FHIRObservations.pressurePanel)
        resource.component = [
            component("systolic-pressure", FHIRObservations.systolic), component("diastolic-pressure", FHIRObservations.diastolic),
        ]
        return resource
    }

    private func component(_ metric: String, _ code: FHIR.CodeableConcept) -> FHIR.Observation.Component {
        var component = FHIR.Observation.Component(code: code)
        if let value = values[metric] {
            component.valueQuantity = FHIR.Quantity(value, "mm[Hg]")
        } else {
            component.dataAbsentReason = FHIRObservations.absent
        }
        return component
    }
}
