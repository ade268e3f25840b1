import FHIRMapping
import Observability
import VigilSchema

/// Device: a source of a person's numbers. Read and search.
enum DeviceResources {
    /// The most metrics whose sources are asked for.
    private static let mostMetrics = 200

    static let all = [read] + search

    private static let read = FHIRRoutes.operation("/Device/{id}", "A source.") { call in
        try FHIRParameters(call.call.request).checkFormat()
        let id = try call.call.path("id")
        for person in await call.people(where: { id.hasPrefix(FHIRId.mark(of: $0) + "-d-") }) {
            let bus = try await call.bus(for: person, "fhir-read", "Device")
            if let device = try await resources(of: person.participant, bus).first(where: { $0.id == id }) { return FHIR.response(device) }
        }
        throw APIError.notFound
    }

    private static let search = FHIRRoutes.search("/Device", "The sources of a person's numbers.") { call in
        var parameters = FHIRParameters(call.call.request)
        let subject = try await FHIRSubject(&parameters, call)
        let ids = try parameters.take("_id").map { Set($0.alternatives) }
        let identifiers = FHIRToken.groups(try parameters.take("identifier"))
        let (count, place) = (try parameters.takeCount(), try parameters.takePlace())
        try parameters.finish()
        guard let person = subject.person else { return FHIR.response(FHIRBundle([], parameters, of: "Device", base: call.base, total: 0)) }
        let bus = try await call.bus(for: person, "fhir-search", "Device")
        let found = try await resources(of: person.participant, bus).filter { device in
            ids.allSatisfy { $0.contains(device.id) }
                && identifiers.allSatisfy { $0.contains { $0.matches(system: FHIR.Device.system, code: device.device?.name ?? "") } }
        }
        let rest = found.filter { $0.isBehind(place) }
        return FHIR.response(
            FHIRBundle(
                Array(rest.prefix(count)), parameters, of: "Device", base: call.base, total: found.count,
                next: count > 0 && rest.count > count ? FHIRPlace(behind: rest[count - 1]) : nil))
    }

    /// The sources that a person has numbers of, by id.
    static func resources(of participant: String, _ bus: SuiteClient) async throws -> [FHIRResource] {
        let source = ObservationSource(bus: bus, participant: participant)
        let always = TimelineQuery.Range(from: FHIRTimes.always.lowerBound, to: FHIRTimes.always.upperBound)
        var names: Set<String> = []
        for metric in Set(try await source.metrics().map(\.metric)).sorted().prefix(mostMetrics) {
            names.formUnion(
                try await bus.timeline(.sources(.init(participant: participant, metric: metric, range: always)), as: [String].self))
        }
        return names.map { name in
            let device = FHIR.Device(name, of: participant)
            return FHIRResource("Device", device.id, device)
        }.sorted { $0.id < $1.id }
    }
}

extension FHIRResource {
    fileprivate var device: FHIR.Device? { content as? FHIR.Device }
}
