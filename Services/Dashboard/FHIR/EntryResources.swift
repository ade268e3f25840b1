import FHIRMapping
import Observability
import VigilSchema

/// The entries that people made, besides results and notes, each as the resource that fits: read and search.
struct EntryResources: Sendable {
    let type: String
    let kind: TimelineEntry.Kind
    /// The search parameters of its code, of its beginning and of its status; nil where it has none.
    let code: String?
    let date: String
    let status: String?

    static let types = [
        EntryResources(type: "AllergyIntolerance", kind: .allergy, code: "code", date: "onset", status: "clinical-status"),
        EntryResources(type: "CarePlan", kind: .regimen, code: nil, date: "date", status: nil),
        EntryResources(type: "Condition", kind: .condition, code: "code", date: "onset-date", status: "clinical-status"),
        EntryResources(type: "Encounter", kind: .encounter, code: nil, date: "date", status: nil),
        EntryResources(type: "Immunization", kind: .immunization, code: "vaccine-code", date: "date", status: nil),
        EntryResources(type: "MedicationStatement", kind: .medication, code: "code", date: "effective", status: "status"),
        EntryResources(type: "Procedure", kind: .procedure, code: "code", date: "date", status: nil),
    ]

    static let all = types.flatMap { [$0.read] + $0.search }

    /// What a search of the type takes besides the person.
    var parameters: [FHIRCapabilities.Parameter] {
        [.init("_id", "token", "The id."), .init(date, "date", "The beginning.")]
            + (code.map { [.init($0, "token", "The code, where somebody entered one.")] } ?? [])
            + (status.map { [.init($0, "token", "The status.")] } ?? [])
    }

    private var read: APIOperation {
        FHIRRoutes.operation("/\(type)/{id}", "An entry.") { call in
            try FHIRParameters(call.call.request).checkFormat()
            let id = try call.call.path("id")
            for person in await call.people(where: { id.hasPrefix(FHIRId.mark(of: $0) + "-e-") }) {
                let bus = try await call.bus(for: person, "fhir-read", type)
                let found = try await Self.resources([kind], of: person.participant, bus)
                if let resource = found.first(where: { $0.id == id }) { return FHIR.response(resource) }
            }
            throw APIError.notFound
        }
    }

    private var search: [APIOperation] {
        FHIRRoutes.search("/\(type)", "Entries of a person.") { call in
            var parameters = FHIRParameters(call.call.request)
            let subject = try await FHIRSubject(&parameters, call)
            let ids = try parameters.take("_id").map { Set($0.alternatives) }
            let codes = try code.map { name throws(APIError) in FHIRToken.groups(try parameters.take(name)) } ?? []
            let states = try status.map { name throws(APIError) in FHIRToken.groups(try parameters.take(name)) } ?? []
            let times = try FHIRTimes(parameters.take(date), named: date, zone: subject.zone)
            let (count, place) = (try parameters.takeCount(), try parameters.takePlace())
            try parameters.finish()
            guard let person = subject.person else { return FHIR.response(FHIRBundle([], parameters, of: type, base: call.base, total: 0)) }
            let bus = try await call.bus(for: person, "fhir-search", type)
            let found = try await Self.resources([kind], of: person.participant, bus).filter { resource in
                guard let entry = resource.entry else { return false }
                return ids.allSatisfy { $0.contains(resource.id) } && times.range.contains(resource.time)
                    && codes.allSatisfy { $0.contains { token in entry.codes.contains(where: token.matches) } }
                    && states.allSatisfy { $0.contains { $0.matches(entry) } }
            }
            let rest = found.filter { $0.isBehind(place) }
            return FHIR.response(
                FHIRBundle(
                    Array(rest.prefix(count)), parameters, of: type, base: call.base, total: found.count,
                    next: count > 0 && rest.count > count ? FHIRPlace(behind: rest[count - 1]) : nil))
        }
    }

    /// A person's entries of some kinds, besides results and notes; the newest first.
    static func resources(_ kinds: Set<TimelineEntry.Kind>, of participant: String, _ bus: SuiteClient) async throws -> [FHIRResource] {
        let always = TimelineQuery.Range(from: FHIRTimes.always.lowerBound, to: FHIRTimes.always.upperBound)
        let entries = try await bus.timeline(.entries(participant: participant, always, kinds: kinds), as: [TimelineEntry].self)
        return try entries.map { entry in
            let resource = try FHIREntries.resource(entry, of: participant, .entry(entry, received: nil))
            return FHIRResource(resource.resourceType, resource.id, at: entry.time, resource)
        }.sorted { ($1.time, $0.id) < ($0.time, $1.id) }
    }
}

extension FHIR.Entry {
    /// Of the subject of the entry.
    fileprivate var codes: [FHIR.CodeableConcept] { [code, medicationCodeableConcept, vaccineCode].compactMap(\.self) }
}

extension FHIRToken {
    /// Returns whether an entry's status is meant.
    fileprivate func matches(_ entry: FHIR.Entry) -> Bool {
        if let concept = entry.clinicalStatus { return matches(concept) }
        return entry.status.map { matches(system: system ?? "", code: $0) } ?? false
    }
}

extension FHIRResource {
    /// Nil where it is of another type.
    var entry: FHIR.Entry? { content as? FHIR.Entry }

    /// Returns whether it comes behind a place, the newest first.
    func isBehind(_ place: FHIRPlace?) -> Bool {
        guard let place else { return true }
        return time == place.time ? id > place.id : time < place.time
    }
}
