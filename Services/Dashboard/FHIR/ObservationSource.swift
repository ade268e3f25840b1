import FHIRMapping
import Foundation
import VigilSchema

/// One person's observations as resources, asked of the timeline.
struct ObservationSource: Sendable {
    let bus: SuiteClient
    let participant: String

    /// Some readings of a range, and where the next ones start.
    func readings(
        _ range: Range<Timestamp>, _ selection: TimelineQuery.Selection, limit: Int, after: ReadingsCursor? = nil
    ) async throws -> ReadingsPage {
        let query = TimelineQuery.readings(
            participant: participant, TimelineQuery.Range(from: range.lowerBound, to: range.upperBound), limit: limit, selection)
        let answer = try await bus.timeline(query, after: after?.after)
        guard let page = try? JSONDecoder().decode(ReadingsPage.self, from: Data(answer)) else {
            throw APIError(status: 502, code: "failed", reason: "the timeline's answer cannot be read")
        }
        return page
    }

    /// The resources of readings that come in the order of time.
    func resources(_ readings: some Sequence<StoredReading>) -> [FHIRResource] {
        var assembly = FHIRAssembly(isByIdentity: true)
        var resources: [FHIR.Observation] = []
        for reading in readings {
            let group = ObservationGroup(
                participant: participant, source: reading.source, session: reading.session, received: reading.received, observations: [])
            resources += assembly.add(Observation(reading), of: group)
        }
        return (resources + assembly.finish()).map { FHIRResource($0, of: participant) }
    }

    /// The numbers and texts that are stored of the person.
    func metrics() async throws -> [MetricSummary] {
        try await bus.timeline(.metrics(participant: participant, counted: false), as: [MetricSummary].self).filter { !$0.isWaveform }
    }

    /// The results and notes that begin in a range, as resources.
    func entries(_ range: Range<Timestamp>, _ kinds: Set<TimelineEntry.Kind>) async throws -> [FHIRResource] {
        guard !kinds.isEmpty, !range.isEmpty else { return [] }
        let found = try await bus.timeline(
            .entries(participant: participant, .init(from: range.lowerBound, to: range.upperBound), kinds: kinds), as: [TimelineEntry].self)
        return try found.filter { range.contains($0.time) }.map { entry in
            let resource = try FHIREntries.observation(entry, of: participant, .entry(entry, received: nil))
            return FHIRResource("Observation", resource.id, at: entry.time, resource)
        }
    }

    /// The observation with an id; nil where there is none.
    func observation(_ id: String) async throws -> FHIRResource? {
        guard let time = FHIRId.time(in: id) else {
            return try await entries(FHIRTimes.always, [.result, .note]).first { $0.id == id }
        }
        let moment = time..<Timestamp(microseconds: time.microseconds + 1)
        var found: [StoredReading] = []
        var after: ReadingsCursor?
        // A moment is read whole; it has less than 40,000 readings.
        for _ in 0..<4 {
            let page = try await readings(moment, .init(), limit: 10_000, after: after)
            found += page.readings
            after = page.next
            if after == nil { break }
        }
        return resources(found).first { $0.id == id }
    }
}

/// The newest observations of each code.
extension ObservationSource {
    /// - Parameter mostCodes: more are refused.
    func newest(_ most: Int, _ criteria: ObservationCriteria, mostCodes: Int) async throws -> [FHIRResource] {
        let stored = Dictionary(try await metrics().map { ($0.metric, $0.last) }) { max($0, $1) }
        let wanted = criteria.isAny ? Set(stored.keys) : Set(criteria.metrics(of: Array(stored.keys))).intersection(stored.keys)
        let pressures = wanted.intersection(FHIRObservations.pressures)
        let groups = (pressures.isEmpty ? [] : [pressures]) + wanted.subtracting(pressures).map { [$0] }
        guard groups.count <= mostCodes else {
            throw APIError(status: 400, code: "too-costly", reason: "there are more than \(mostCodes) codes; name some, or a category")
        }
        var found = try await entries(FHIRTimes.always, criteria.kinds)
        for group in groups { found += try await newest(most, of: group, until: group.compactMap { stored[$0] }.max()) }
        let kept = found.filter { $0.observation.map(criteria.matches) ?? false }
        return Dictionary(grouping: kept) { $0.observation?.code.key ?? "" }.sorted { $0.key < $1.key }.flatMap { _, resources in
            resources.sorted { $0.time > $1.time }.prefix(most)
        }
    }

    private func newest(_ most: Int, of metrics: Set<String>, until last: Timestamp?) async throws -> [FHIRResource] {
        guard let last else { return [] }
        let end = Timestamp(microseconds: last.microseconds + 1)
        // Of glucose there may be two codes, by the source.
        let isLastOnly = most == 1 && metrics != ["blood-glucose"]
        let page = try await readings(
            (isLastOnly ? last : FHIRTimes.always.lowerBound)..<end, .init(metrics: metrics.sorted(), isNewestFirst: true),
            limit: 2 * most + 64)
        let whole = page.readings.filter { $0.time != page.next?.time }
        return resources(whole.isEmpty ? page.readings : whole)
    }
}

extension FHIR.CodeableConcept {
    /// What tells it from other codes.
    fileprivate var key: String { (coding ?? []).map { "\($0.system)|\($0.code)" }.joined(separator: " ") + " " + (text ?? "") }
}

extension FHIRResource {
    /// An observation of a reading, whose id says when it was.
    init(_ observation: FHIR.Observation, of participant: String) {
        var stamped = observation
        if let source = observation.device?.display { stamped.device?.reference = "Device/" + FHIR.Device.id(source, of: participant) }
        stamped.meta = FHIR.Meta(lastUpdated: observation.issued)
        self.init("Observation", observation.id, at: FHIRId.time(in: observation.id) ?? Timestamp(microseconds: 0), stamped)
    }
}

extension Observation {
    fileprivate init(_ reading: StoredReading) {
        self.init(
            metric: reading.metric, time: reading.time, sequence: reading.sequence, interval: reading.period ?? 0,
            content: reading.content ?? .text(""), unit: reading.unit, zone: reading.zone)
    }
}
