import Foundation
package import TimelineStore
package import VigilSchema

/// Answers requests to the timeline. Its only I/O is the store's, so the command line can use it without a bus.
///
/// Threading: any number of tasks.
package struct QueryHandler: Sendable {
    /// The most readings in one answer.
    package static let maximumReadings = 10_000
    /// The most entries in one answer.
    package static let maximumEntries = 1000
    /// The most recording sessions in one answer.
    package static let maximumSessions = 10_000
    /// The most transitions of alerts in one answer.
    package static let maximumAlerts = 2000
    /// The most samples in one answer.
    package static let maximumSamples = 200_000
    /// The most samples behind one envelope: a day of two leads at 500 Hz.
    package static let maximumEnvelopeSamples = 90_000_000

    private let store: any TimelineStore
    private let now: @Sendable () -> Timestamp

    package init(store: any TimelineStore, now: @escaping @Sendable () -> Timestamp) {
        self.store = store
        self.now = now
    }

    /// The answer as JSON: `{"result": …}` or `{"error": {"code": …, "reason": …}}`.
    package func answer(_ request: TimelineRequest) async -> [UInt8] { await answer(request, outcome: { _ in }) }

    /// The same, with the audit line to write before the answer leaves. The line of an erasure order is written first.
    /// - Parameter actor: the asker.
    package func answer(_ request: TimelineRequest, actor: String) async -> (answer: [UInt8], audit: AuditEntry?) {
        let fields = TimelineRequestFields(request)
        var entry = auditEntry(fields.query, of: fields.participant, by: actor, detail: Self.detail(fields))
        entry.address = request.address.map { $0.kept(128) }
        if case .addAudit = request.query { return (await answer(request), nil) }
        let isErasure = fields.query == .erase
        if isErasure {
            entry.outcome = "ordered"
            do { try await store.append(audit: [entry]) } catch { return (QueryFailure(error).answer, nil) }
        }
        var outcome = "ok"
        let answer = await answer(request) { outcome = $0 }
        if isErasure, outcome == "ok" {
            // The name must not enter the trail any more.
            let pseudonym = try? TimelineResponse<ErasureReport>(decoding: answer).get().pseudonym
            entry.participant = pseudonym
            if entry.actor == fields.participant { entry.actor = pseudonym ?? "~" }
        }
        entry.outcome = outcome
        return (answer, entry)
    }

    /// The answer to an incomplete request, with its audit line.
    package func answer(_ invalid: TimelineRequest.Invalid, actor: String) -> (answer: [UInt8], audit: AuditEntry?) {
        let failure = QueryFailure(badRequest: invalid.reason)
        guard invalid.query != .addAudit else { return (failure.answer, nil) }
        var entry = auditEntry(invalid.query, of: invalid.participant, by: actor, detail: nil)
        entry.outcome = failure.code
        return (failure.answer, entry)
    }

    private func auditEntry(_ query: TimelineQuery.Name, of participant: String?, by actor: String, detail: String?) -> AuditEntry {
        AuditEntry(
            time: now(), actor: actor.kept(128), operation: query.rawValue, participant: participant.map { $0.kept(64) },
            detail: detail)
    }

    /// Adds lines to the audit trail.
    package func note(_ entries: [AuditEntry]) async throws(StoreError) { try await store.append(audit: entries) }

    private func answer(_ request: TimelineRequest, outcome: (String) -> Void) async -> [UInt8] {
        do {
            return try await result(of: request)
        } catch {
            outcome(error.code)
            return error.answer
        }
    }

    /// The part of a participant's timeline that a request is about, without values.
    private static func detail(_ fields: TimelineRequestFields) -> String? {
        var words = [fields.metric, fields.span, fields.by].compactMap(\.self)
        if let from = fields.from { words.append("from " + from.iso8601()) }
        if let to = fields.to { words.append("to " + to.iso8601()) }
        return words.isEmpty ? nil : words.joined(separator: " ").kept(256)
    }

    /// Topics that may have retained readings that the request removes; empty for other requests.
    package func retainedTopics(of request: TimelineRequest) async throws -> [Topic] {
        switch request.query {
        case .erase(let participant):
            let metrics = try await store.metrics(participant: participant, counted: false).map(\.metric)
            return metrics.map { .latest(participant: participant, metric: $0) }
        case .removeReadings(let metrics, let participant, let source, let time):
            let newest = try await store.latest(participant: participant)
            return newest.filter { metrics.contains($0.metric) && $0.source == source && $0.time == time }
                .map { .latest(participant: participant, metric: $0.metric) }
        default: return []
        }
    }

    private func result(of request: TimelineRequest) async throws(QueryFailure) -> [UInt8] {
        let now = now()
        do {
            return try await result(of: request, now)
        } catch let error as QueryFailure {
            throw error
        } catch let error as StoreError {
            throw QueryFailure(error)
        } catch {
            throw QueryFailure(badRequest: "\(error)")
        }
    }

    private func result(of request: TimelineRequest, _ now: Timestamp) async throws -> [UInt8] {
        switch request.query {
        case .participants: try list(await store.participants(), request)
        case .people: try list(await store.people(), request)
        case .metrics(let participant, let counted): try list(await store.metrics(participant: participant, counted: counted), request)
        case .latest(let participant): try list(await store.latest(participant: participant), request)
        case .readings(let participant, let metric, let range, let limit, let selection):
            try Self.result(await readings(of: participant, metric, range.times(now), selection, limit, after: request.after))
        case .series(let series, let width): try list(await store.series(series.range(now), width: width ?? 1000), request)
        case .waveform(let series): try list(await store.waveform(series.range(now), limit: Self.maximumSamples), request)
        case .envelope(let series, let width):
            try list(
                await store.envelope(series.range(now), width: width ?? 1000, limit: Self.maximumEnvelopeSamples), request)
        case .page(let participant, let span, let to): try await page(of: participant, span, to: to ?? now, after: request.offset)
        case .histogram(let series, let by, let zone): try list(await histogram(series.range(now), by, zone), request)
        case .sources(let series): try list(await store.sources(series.range(now)), request)
        case .sessions(let participant): try await sessions(of: participant, request)
        case .gaps(let series, let seconds): try list(await gaps(series.range(now), longerThan: seconds ?? 60, now), request)
        case .alerts(let participant, let range, let limit): try await alerts(of: participant, range.times(now), limit, request)
        case .entries(let participant, let range, let kinds, let limit):
            try await entries(of: participant, kinds, range.times(now), limit, request)
        case .profile(let participant): try Self.result(await store.profile(participant: participant) ?? ParticipantProfile())
        case .addEntries, .restore, .removeEntry, .removeReadings, .setProfile, .addLevels, .undoImport, .erase, .addAudit:
            try await change(request.query, now)
        }
    }

    private func change(_ query: TimelineQuery, _ now: Timestamp) async throws -> [UInt8] {
        switch query {
        case .addEntries(let entries, let participant, let origin):
            try Self.result(await add(entries, of: participant, origin: origin, now))
        case .restore(let records, let participant, let origin):
            try Self.result(await restore(records, of: participant, origin: origin, now))
        case .removeEntry(let id, let participant): try Self.result(await store.removeEntry(id, participant: participant))
        case .removeReadings(let metrics, let participant, let source, let time):
            try Self.result(await store.removeReadings(metrics, participant: participant, source: source, at: time) > 0)
        case .setProfile(let profile, let participant): try Self.result(await set(profile, of: participant))
        case .addLevels(let levels, let participant, let time): try Self.result(await add(levels, of: participant, at: time ?? now, now))
        case .undoImport(let id): try Self.result(await store.undo(origin: id))
        case .erase(let participant): try Self.result(await store.erase(participant: participant))
        case .addAudit(let lines): try Self.result(await add(lines))
        default: throw QueryFailure(badRequest: "the query changes nothing")
        }
    }

    /// A list from the request's `after` on, as long as it fits.
    private func list<Element: Encodable>(_ elements: [Element], _ request: TimelineRequest) throws -> [UInt8] {
        let offset = try request.offset
        return try BoundedList.response(elements.dropFirst(offset), offset: offset, Self.encoder)
    }

    private func sessions(of participant: String, _ request: TimelineRequest) async throws -> [UInt8] {
        let offset = try request.offset
        let some = try await store.sessions(participant: participant, limit: Self.maximumSessions, offset: offset)
        // The wanted number was reached, so more may follow.
        let isMore = some.count == Self.maximumSessions
        return try BoundedList.response(some, Self.encoder) { $0 < some.count || isMore ? "\(offset + $0)" : nil }
    }

    private func entries(
        of participant: String, _ kinds: Set<TimelineEntry.Kind>, _ range: (from: Timestamp, to: Timestamp), _ limit: Int?,
        _ request: TimelineRequest
    ) async throws -> [UInt8] {
        let limit = try limit.limit(Self.maximumEntries)
        let cursor = request.after.flatMap(EntryCursor.init(after:))
        guard (cursor == nil) == (request.after == nil) else { throw QueryFailure(badRequest: "after is not the next of an answer") }
        let page = try await store.entries(
            participant: participant, from: range.from, to: range.to, kinds: kinds, limit: limit, bytes: BoundedList.bytes, after: cursor)
        return try BoundedList.response(page.entries, Self.encoder) { told in
            told < page.entries.count ? EntryCursor(page.entries[told - 1]).after : page.next?.after
        }
    }

    private func alerts(
        of participant: String, _ range: (from: Timestamp, to: Timestamp), _ limit: Int?, _ request: TimelineRequest
    ) async throws -> [UInt8] {
        let (limit, offset) = (try limit.limit(Self.maximumAlerts), try request.offset)
        let alerts = try await store.alerts(participant: participant, from: range.from, to: range.to, limit: limit, offset: offset)
        return try BoundedList.response(alerts, offset: offset, isNewestFirst: true, Self.encoder)
    }

    private func readings(
        of participant: String, _ metric: String?, _ range: (from: Timestamp, to: Timestamp), _ selection: TimelineQuery.Selection,
        _ limit: Int?, after: String?
    ) async throws -> ReadingsPage {
        let limit = try limit.limit(Self.maximumReadings)
        let cursor = after.flatMap(ReadingsCursor.init(after:))
        guard (cursor == nil) == (after == nil) else { throw QueryFailure(badRequest: "after is not the next of an answer") }
        return try await store.readings(
            participant: participant, metric: metric, from: range.from, to: range.to, selection: selection, limit: limit, after: cursor)
    }

    private func page(of participant: String, _ span: PageSpan, to end: Timestamp, after offset: Int) async throws -> [UInt8] {
        let page = try await store.page(participant: participant, span, to: end)
        guard offset == 0 else { return try PageWriter.response(PageAnswer(page, entries: [], vitalsAfter: offset), Self.encoder) }
        let entries = try await store.entries(
            participant: page.participant, from: page.from, to: page.to, kinds: [], limit: Self.maximumEntries,
            bytes: PageAnswer.entryBytes, after: nil)
        let alerts = try await store.alerts(participant: page.participant, from: page.from, to: page.to)
        let answer = PageAnswer(page, entries: entries.entries, hasMoreEntries: entries.next != nil, alerts: alerts)
        return try PageWriter.response(answer, Self.encoder)
    }

    /// Finds gaps up to now.
    private func gaps(_ range: SeriesRange, longerThan seconds: Double, _ now: Timestamp) async throws -> [SeriesGap] {
        var range = range
        range.to = max(range.from, min(range.to, now))
        return try await store.gaps(range, longerThan: seconds)
    }

    private func histogram(_ range: SeriesRange, _ by: HistogramBinning, _ zone: String?) async throws -> [HistogramBin] {
        var zone = zone
        if zone == nil { zone = try await store.profile(participant: range.participant)?.timeZone }
        return try await store.histogram(range, by: by, zone: zone ?? "UTC")
    }

    private func add(_ entries: [TimelineEntry], of participant: String, origin: String?, _ now: Timestamp) async throws -> StoredCount {
        for entry in entries { try entry.validate() }
        for entry in entries { try await store.post(entry, participant: participant, received: now, origin: origin) }
        return StoredCount(stored: entries.count)
    }

    private func restore(_ records: [TimelineRecord], of participant: String, origin: String?, _ now: Timestamp) async throws -> StoredCount
    {
        for record in records { try record.moved(to: participant).validate() }
        try await store.restore(records, participant: participant, origin: origin, now: now)
        return StoredCount(stored: records.count)
    }

    private func add(_ lines: [AuditEntry]) async throws -> StoredCount {
        for line in lines { try line.validate() }
        try await store.append(audit: lines)
        return StoredCount(stored: lines.count)
    }

    private func set(_ profile: ParticipantProfile, of participant: String) async throws -> ParticipantProfile {
        try profile.validate()
        try await store.setProfile(profile, participant: participant)
        return profile
    }

    /// Levels are observations of the metrics `pain`, `mood` and `energy-level`, with the source `person`.
    private func add(_ levels: [String: Double], of participant: String, at time: Timestamp, _ now: Timestamp) async throws -> Receipt {
        let metrics = ["pain": "pain", "mood": "mood", "energy": "energy-level"]
        guard !levels.isEmpty, levels.keys.allSatisfy({ metrics[$0] != nil }) else {
            throw QueryFailure(badRequest: "levels are missing, or none of pain, mood, energy")
        }
        let observations = try levels.sorted { $0.key < $1.key }.map { name, level in
            let observation = Observation(metric: metrics[name] ?? name, time: time, content: .value(level), unit: "1")
            return try Normaliser().normalise(ParsedObservation(observation, offsets: .init(element: 0), index: nil), now: now)
        }
        let group = ObservationGroup(participant: participant, source: "person", received: now, observations: observations)
        let counts = try await store.append([ObservationBatch(id: ULID.make(at: now), groups: [group])])[0]
        return Receipt(outcome: .stored, stored: counts.stored, duplicates: counts.duplicates, corrections: counts.corrections)
    }

    private static func result(_ value: some Codable & Sendable) throws -> [UInt8] {
        try encode(TimelineResponse(result: value))
    }

    static func encode(_ value: some Encodable) throws -> [UInt8] { Array(try encoder.encode(value)) }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
