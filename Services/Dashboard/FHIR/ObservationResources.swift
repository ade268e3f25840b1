import FHIRMapping
import Foundation
import Observability
import VigilSchema

/// Observation: read, search and `$lastn`. Numbers and texts, and the results and notes that people entered; no samples of waveforms.
enum ObservationResources {
    /// The most codes that `$lastn` answers for, and the most observations of each.
    private static let (mostCodes, mostOfCode) = (100, 100)

    static let all = [lastN, read] + search

    private static let read = FHIRRoutes.operation("/Observation/{id}", "An observation.") { call in
        try FHIRParameters(call.call.request).checkFormat()
        let id = try call.call.path("id")
        for person in await call.people(where: { id.hasPrefix(FHIRId.mark(of: $0) + "-") }) {
            let bus = try await call.bus(for: person, "fhir-read", "Observation")
            if let found = try await ObservationSource(bus: bus, participant: person.participant).observation(id) {
                return FHIR.response(found)
            }
        }
        throw APIError.notFound
    }

    private static let search = FHIRRoutes.search("/Observation", "Observations of a person.") { call in
        var parameters = FHIRParameters(call.call.request)
        let person = try await FHIRSubject(&parameters, call)
        let zone = person.zone
        // All are final.
        let isFinal = FHIRToken.groups(try parameters.take("status")).allSatisfy {
            $0.contains { $0.matches(system: $0.system ?? "", code: "final") }
        }
        let page = ObservationSearch(
            criteria: try ObservationCriteria(&parameters),
            times: try FHIRTimes(parameters.take("date"), named: "date", zone: zone),
            updated: try FHIRTimes(parameters.take("_lastUpdated"), named: "_lastUpdated", zone: zone),
            ids: try parameters.take("_id").map { Set($0.alternatives) }, isNewestFirst: try isNewestFirst(&parameters),
            count: try parameters.takeCount(), place: try parameters.takePlace())
        try parameters.finish()
        guard isFinal, let person = person.person else {
            return FHIR.response(FHIRBundle([], parameters, of: "Observation", base: call.base))
        }
        let source = ObservationSource(bus: try await call.bus(for: person, "fhir-search", "Observation"), participant: person.participant)
        let (found, next) = try await page.page(from: source)
        return FHIR.response(FHIRBundle(found, parameters, of: "Observation", base: call.base, next: next))
    }

    private static let lastN = FHIRRoutes.operation("/Observation/$lastn", "The newest observations of each code.") { call in
        var parameters = FHIRParameters(call.call.request)
        let subject = try await FHIRSubject(&parameters, call)
        let criteria = try ObservationCriteria(&parameters)
        guard let most = Int(try parameters.takeOne("max") ?? "1"), most > 0 else {
            throw APIError.malformed("max is no number of observations")
        }
        try parameters.finish()
        let path = "Observation/$lastn"
        guard let person = subject.person else { return FHIR.response(FHIRBundle([], parameters, of: path, base: call.base)) }
        let source = ObservationSource(bus: try await call.bus(for: person, "fhir-search", path), participant: person.participant)
        let found = try await source.newest(min(most, mostOfCode), criteria, mostCodes: mostCodes)
        return FHIR.response(FHIRBundle(found, parameters, of: path, base: call.base, total: found.count))
    }

    /// `_sort`: by the date, in either direction; the newest come first without it.
    private static func isNewestFirst(_ parameters: inout FHIRParameters) throws(APIError) -> Bool {
        switch try parameters.takeOne("_sort") {
        case nil, "-date"?: true
        case "date"?: false
        default: throw .malformed("observations are sorted by date or -date")
        }
    }
}

/// The person whom a search is about.
struct FHIRSubject: Sendable {
    /// Nil where the account may see none such.
    let person: KnownPerson?

    /// The wearer's clock.
    var zone: TimeZone { person.map { Self.zone(of: $0) } ?? .gmt }

    static func zone(of person: KnownPerson) -> TimeZone { person.profile.timeZone.flatMap(TimeZone.init(identifier:)) ?? .gmt }

    /// - Throws: where the search names nobody, unless the account sees one person only.
    init(_ parameters: inout FHIRParameters, _ call: FHIRCall) async throws {
        let given = try parameters.take("patient", modifiers: ["Patient"]) + parameters.take("subject", modifiers: ["Patient"])
        let ids = Set(given.map { Self.id($0.value, base: call.base) })
        if ids.isEmpty {
            let participants = call.call.account.participants
            guard participants.count == 1, participants[0] != "*" else {
                throw APIError(status: 400, code: "required", reason: "name the person: patient=ID; this account may see several")
            }
            person = await call.people { $0 == participants[0] }.first
        } else {
            guard ids.count == 1, let id = ids.first, !id.contains(",") else { throw APIError.malformed("a search is about one patient") }
            person = await call.person(id)
        }
    }

    /// The id in a reference: `Patient/ID`, the same with this server's address before it, or the id alone.
    private static func id(_ reference: String, base: String) -> String {
        let local = reference.hasPrefix(base + "/") ? reference.dropFirst(base.count + 1) : reference[...]
        return String(local.hasPrefix("Patient/") ? local.dropFirst("Patient/".count) : local)
    }
}
