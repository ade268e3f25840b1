import FHIRMapping
import Foundation
import Observability
import VigilSchema

/// `Patient/{id}/$everything` and `Patient/{id}/$summary`.
enum PatientOperations {
    static let all = [everything, summary]

    /// The patient, the sources and the entries first; then, on further pages, the observations, the newest first.
    private static let everything = FHIRRoutes.operation("/Patient/{id}/$everything", "Everything of a person.") { call in
        var parameters = FHIRParameters(call.call.request)
        guard let person = await call.person(try call.call.path("id")) else { throw APIError.notFound }
        let zone = FHIRSubject.zone(of: person)
        let start = try FHIRTimes(parameters.take("start").map(\.asStart), named: "start", zone: zone)
        let end = try FHIRTimes(parameters.take("end").map(\.asEnd), named: "end", zone: zone)
        let types = Set(try parameters.take("_type").flatMap(\.alternatives))
        let (count, place) = (try parameters.takeCount(), try parameters.takePlace())
        try parameters.finish()
        let bus = try await call.bus(for: person, "fhir-search", "Patient/$everything")
        let content = EverythingOfPatient(
            person: person, bus: bus, times: start.overlap(end), types: types, count: count, place: place)
        let (found, next) = try await content.page()
        return FHIR.response(
            FHIRBundle(
                found, parameters, of: "Patient/\(FHIRId.of(participant: person.participant))/$everything", base: call.base, next: next))
    }

    private static let summary = FHIRRoutes.operation("/Patient/{id}/$summary", "The International Patient Summary.") { call in
        let parameters = FHIRParameters(call.call.request)
        try parameters.finish()
        guard let person = await call.person(try call.call.path("id")) else { throw APIError.notFound }
        let bus = try await call.bus(for: person, "fhir-read", "Patient/$summary")
        let summary = PatientSummary(person: person, bus: bus, base: call.base, now: Timestamp(seconds: call.call.dashboard.now()))
        return FHIR.response(try await summary.document())
    }
}

extension FHIRParameters.Argument {
    fileprivate var asStart: Self { Self(modifier: nil, value: "ge" + value) }
    fileprivate var asEnd: Self { Self(modifier: nil, value: "le" + value) }
}

/// The resources of `$everything`, a page at a time: a first part, which is in no order of time, and the observations behind it.
struct EverythingOfPatient: Sendable {
    let person: KnownPerson
    let bus: SuiteClient
    let times: FHIRTimes
    /// Empty: all.
    let types: Set<String>
    let count: Int
    let place: FHIRPlace?

    func page() async throws -> (resources: [FHIRResource], next: FHIRPlace?) {
        guard count > 0 else { return ([], nil) }
        let place = place ?? FHIRPlace(time: Timestamp(microseconds: 0), id: "0", part: Self.first)
        guard place.part == Self.first else { return try await observations(behind: place) }
        // Whoever writes a place of their own gets the first page.
        let offset = max(0, Int(place.id) ?? 0)
        let rest = try await whole().dropFirst(offset)
        let part = Array(rest.prefix(count))
        if rest.count > count { return (part, FHIRPlace(time: place.time, id: "\(offset + count)", part: Self.first)) }
        let isLast = !types.isEmpty && !types.contains("Observation")
        return (part, isLast ? nil : FHIRPlace(time: FHIRTimes.always.upperBound, id: ""))
    }

    private static let first = "1"

    private func observations(behind place: FHIRPlace) async throws -> (resources: [FHIRResource], next: FHIRPlace?) {
        let search = ObservationSearch(
            criteria: .any, times: times, updated: .init(), ids: [], isNewestFirst: true, count: count, place: place)
        return try await search.page(from: ObservationSource(bus: bus, participant: person.participant))
    }

    /// What comes before the observations.
    private func whole() async throws -> [FHIRResource] {
        var resources: [FHIRResource] = []
        if isWanted("Patient") {
            let patient = try FHIR.Patient(person.participant, person.profile)
            resources.append(FHIRResource("Patient", patient.id, patient))
        }
        if isWanted("Device") { resources += try await DeviceResources.resources(of: person.participant, bus) }
        let kinds = Set(EntryResources.types.filter { isWanted($0.type) }.map(\.kind))
        guard !kinds.isEmpty else { return resources }
        let entries = try await EntryResources.resources(kinds, of: person.participant, bus)
        return resources + entries.filter { times.isAlways || times.range.contains($0.time) }
    }

    private func isWanted(_ type: String) -> Bool { types.isEmpty || types.contains(type) }
}
