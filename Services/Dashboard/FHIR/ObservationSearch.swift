import FHIRMapping
import VigilSchema

/// A search for observations of one person, a page at a time, in the order of time and then of id.
struct ObservationSearch: Sendable {
    /// The most questions to the timeline for one page; what they do not find is left to the next page.
    private static let mostRounds = 8

    let criteria: ObservationCriteria
    /// The times in which an observation begins.
    let times: FHIRTimes
    /// The times in which a reading was received. Of entries nobody knows it here: with it they are left out.
    let updated: FHIRTimes
    let ids: [Set<String>]
    let isNewestFirst: Bool
    let count: Int
    let place: FHIRPlace?

    /// A page, and where the next one begins.
    func page(from source: ObservationSource) async throws -> (resources: [FHIRResource], next: FHIRPlace?) {
        guard count > 0, !times.range.isEmpty, !updated.range.isEmpty else { return ([], nil) }
        let (range, isNamed) = (rest, !ids.isEmpty)
        let part = isNamed ? (found: try await named(source), frontier: nil) : try await readings(source, range)
        var found = part.found
        if !isNamed, updated.isAlways {
            found += try await source.entries(covered(range, upTo: part.frontier), criteria.kinds).filter(fits)
        }
        let sorted = found.filter(isBehindPlace).sorted(by: isBefore)
        if sorted.count > count { return (Array(sorted.prefix(count)), FHIRPlace(behind: sorted[count - 1])) }
        return (sorted, part.frontier.map { FHIRPlace(time: $0, id: "") })
    }

    /// The resources whose ids are given.
    private func named(_ source: ObservationSource) async throws -> [FHIRResource] {
        let wanted = ids.dropFirst().reduce(ids[0]) { $0.intersection($1) }
        guard wanted.count <= 100 else { throw APIError.malformed("_id names more than 100 observations") }
        var found: [FHIRResource] = []
        for id in wanted where id.hasPrefix(FHIRId.mark(of: source.participant) + "-") {
            guard let resource = try await source.observation(id), times.range.contains(resource.time), fits(resource) else { continue }
            if updated.isAlways || updated.holds(receiptOf: resource) { found.append(resource) }
        }
        return found
    }

    /// The times that are left behind the place; its own moment is looked through again.
    private var rest: Range<Timestamp> {
        let range = times.range
        guard let place else { return range }
        let moment = min(range.upperBound, max(range.lowerBound, place.time))
        let end = min(range.upperBound, max(range.lowerBound, Timestamp(microseconds: place.time.microseconds + 1)))
        return isNewestFirst ? range.lowerBound..<end : moment..<range.upperBound
    }

    /// The resources of whole moments, and the time of the first moment that is missing.
    private func readings(
        _ source: ObservationSource, _ range: Range<Timestamp>
    ) async throws -> (found: [FHIRResource], frontier: Timestamp?) {
        guard !range.isEmpty, let selection = try await selection(source) else { return ([], nil) }
        var rows: [StoredReading] = []
        var found: [FHIRResource] = []
        var after: ReadingsCursor?
        for round in 0..<Self.mostRounds {
            // A few more than are wanted, as the last moment may be missing; then many, as two blood pressures are one resource.
            let limit = round == 0 ? count + 16 : max(2 * count + 64, 512)
            let page = try await source.readings(range, selection, limit: limit, after: after)
            rows += page.readings
            after = page.next
            found = source.resources(rows.filter { $0.time != after?.time }).filter { fits($0) && isBehindPlace($0) }
            if after == nil || found.count > count { break }
        }
        guard after == nil || !found.isEmpty || after?.time != place?.time else {
            throw APIError(status: 400, code: "too-costly", reason: "one moment has more readings than a search looks through")
        }
        return (try await whole(found, source), after?.time)
    }

    /// The blood pressures of which one half was received in the wanted time, with both: it is the later receipt that counts.
    private func whole(_ found: [FHIRResource], _ source: ObservationSource) async throws -> [FHIRResource] {
        guard !updated.isAlways else { return found }
        var resources: [FHIRResource] = []
        for resource in found {
            let isHalf = resource.observation?.component?.contains { $0.valueQuantity == nil } ?? false
            guard isHalf else { resources.append(resource); continue }
            guard let whole = try await source.observation(resource.id), updated.holds(receiptOf: whole) else { continue }
            resources.append(whole)
        }
        return resources
    }

    /// The readings to ask for; nil where no metric is wanted.
    private func selection(_ source: ObservationSource) async throws -> TimelineQuery.Selection? {
        var selection = TimelineQuery.Selection(isNewestFirst: isNewestFirst)
        if !updated.isAlways { selection.received = .init(from: updated.range.lowerBound, to: updated.range.upperBound) }
        guard !criteria.isAny else { return selection }
        selection.metrics = criteria.metrics(of: criteria.needsList ? try await source.metrics().map(\.metric) : [])
        guard selection.metrics.count <= TimelineQuery.Selection.mostMetrics else {
            throw APIError(status: 400, code: "too-costly", reason: "too many metrics are meant; name codes")
        }
        return selection.metrics.isEmpty ? nil : selection
    }

    /// The part of a range in which all readings were looked at.
    private func covered(_ range: Range<Timestamp>, upTo frontier: Timestamp?) -> Range<Timestamp> {
        guard let frontier else { return range }
        guard isNewestFirst else { return range.lowerBound..<max(range.lowerBound, min(range.upperBound, frontier)) }
        let first = Timestamp(microseconds: frontier.microseconds + 1)
        return min(range.upperBound, max(range.lowerBound, first))..<range.upperBound
    }

    private func fits(_ resource: FHIRResource) -> Bool { resource.observation.map(criteria.matches) ?? false }

    private func isBefore(_ left: FHIRResource, _ right: FHIRResource) -> Bool {
        guard left.time == right.time else { return isNewestFirst ? left.time > right.time : left.time < right.time }
        return left.id < right.id
    }

    private func isBehindPlace(_ resource: FHIRResource) -> Bool {
        guard let place else { return true }
        guard resource.time == place.time else { return isNewestFirst ? resource.time < place.time : resource.time > place.time }
        return resource.id > place.id
    }
}

extension FHIRTimes {
    /// Returns whether a reading was received then; of an entry nobody knows it.
    fileprivate func holds(receiptOf resource: FHIRResource) -> Bool {
        resource.observation?.meta.flatMap { DateTimeText($0.lastUpdated) }.map { range.contains($0.time) } ?? false
    }
}
