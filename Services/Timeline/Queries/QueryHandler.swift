import Foundation
package import TimelineStore
package import VigilSchema

/// Answers requests to the timeline. Without I/O of its own but the store's, so that the command line can use it without a bus.
///
/// Threading: any number of tasks.
package struct QueryHandler: Sendable {
    /// The most readings in one answer.
    package static let maximumReadings = 10_000
    /// The most entries in one answer.
    package static let maximumEntries = 1000
    /// The most transitions of alerts in one answer.
    package static let maximumAlerts = 2000
    /// The most samples in one answer.
    package static let maximumSamples = 200_000

    private let store: any TimelineStore
    private let now: @Sendable () -> Timestamp

    package init(store: any TimelineStore, now: @escaping @Sendable () -> Timestamp) {
        self.store = store
        self.now = now
    }

    /// The answer as JSON: `{"result": …}` or `{"error": {"code": …, "reason": …}}`.
    package func answer(_ request: TimelineRequest) async -> [UInt8] { await answer(request, outcome: { _ in }) }

    /// The same, and what the audit trail is to be told of it once the answer has left. That an erasure was ordered it is told before.
    /// - Parameter actor: who asks.
    package func answer(_ request: TimelineRequest, actor: String) async -> (answer: [UInt8], audit: AuditEntry?) {
        var entry = AuditEntry(
            time: now(), actor: String(actor.prefix(64)), operation: request.query.rawValue,
            participant: request.participant.map { String($0.prefix(64)) }, detail: Self.detail(request))
        guard request.query != .addAudit else { return (await answer(request), nil) }
        if request.query == .erase {
            entry.outcome = "ordered"
            do { try await store.append(audit: [entry]) } catch { return (Self.failure(QueryFailure(error)), nil) }
        }
        var outcome = "ok"
        let answer = await answer(request) { outcome = $0 }
        if request.query == .erase, outcome == "ok" {
            // The name is to come into the trail no more.
            let pseudonym = try? JSONDecoder().decode(TimelineResponse<ErasureReport>.self, from: Data(answer)).get().pseudonym
            entry.participant = pseudonym
            if entry.actor == request.participant { entry.actor = pseudonym ?? "~" }
        }
        entry.outcome = outcome
        return (answer, entry)
    }

    /// Adds lines to the audit trail.
    package func note(_ entries: [AuditEntry]) async throws(StoreError) { try await store.append(audit: entries) }

    private func answer(_ request: TimelineRequest, outcome: (String) -> Void) async -> [UInt8] {
        do {
            return try await result(of: request)
        } catch {
            outcome(error.code)
            return Self.failure(error)
        }
    }

    /// What of a participant's timeline a request is about, without values.
    private static func detail(_ request: TimelineRequest) -> String? {
        var words = [request.metric, request.span, request.by].compactMap(\.self)
        if let from = request.from { words.append("from " + InstantText.iso8601(from)) }
        if let to = request.to { words.append("to " + InstantText.iso8601(to)) }
        return words.isEmpty ? nil : String(words.joined(separator: " ").prefix(256))
    }

    /// The answer to a request that cannot be read.
    package static func failure(_ failure: QueryFailure) -> [UInt8] {
        let answer = TimelineResponse<Bool>(result: nil, error: .init(code: failure.code, reason: failure.reason))
        return (try? encode(answer)) ?? Array(#"{"error":{"code":"failed","reason":"the answer cannot be written"}}"#.utf8)
    }

    /// Topics that may hold, retained, a reading of the participant whom the request erases; none for another request.
    package func retainedTopics(of request: TimelineRequest) async throws -> [Topic] {
        guard request.query == .erase, let participant = request.participant else { return [] }
        return try await store.metrics(participant: participant).map { .latest(participant: participant, metric: $0.metric) }
    }

    private func result(of request: TimelineRequest) async throws(QueryFailure) -> [UInt8] {
        let fields = RequestFields(request: request, now: now())
        do {
            switch request.query {
            case .participants: return try list(await store.participants(), fields)
            case .metrics: return try list(await store.metrics(participant: fields.participant()), fields)
            case .latest: return try list(await store.latest(participant: fields.participant()), fields)
            case .readings: return try Self.result(await readings(fields))
            case .series: return try list(await store.series(fields.range(), width: request.width ?? 1000), fields)
            case .waveform: return try list(await store.waveform(fields.range(), limit: Self.maximumSamples), fields)
            case .page: return try await page(fields)
            case .histogram: return try list(await histogram(fields), fields)
            case .sessions: return try list(await store.sessions(participant: fields.participant()), fields)
            case .gaps: return try list(await gaps(fields), fields)
            case .alerts: return try await alerts(fields)
            case .entries: return try await entries(fields)
            case .profile: return try Self.result(await store.profile(participant: fields.participant()) ?? ParticipantProfile())
            case .addEntries: return try Self.result(await addEntries(fields))
            case .removeEntry: return try Self.result(await store.removeEntry(fields.id(), participant: fields.participant()))
            case .setProfile: return try Self.result(await setProfile(fields))
            case .addLevels: return try Self.result(await addLevels(fields))
            case .undoImport: return try Self.result(await store.undo(origin: fields.id()))
            case .erase: return try Self.result(await store.erase(participant: fields.participant()))
            case .addAudit: return try Self.result(await addAudit(fields))
            }
        } catch let error as QueryFailure {
            throw error
        } catch let error as StoreError {
            throw QueryFailure(error)
        } catch {
            throw QueryFailure(badRequest: "\(error)")
        }
    }

    /// A list from the request's `after` on, as long as there is room.
    private func list<Element: Encodable>(_ elements: [Element], _ fields: RequestFields) throws -> [UInt8] {
        let offset = try fields.offset()
        return try BoundedList.response(elements.dropFirst(offset), offset: offset, Self.encoder)
    }

    private func entries(_ fields: RequestFields) async throws -> [UInt8] {
        let (from, to) = try fields.times()
        let (limit, offset) = (try fields.limit(Self.maximumEntries), try fields.offset())
        let entries = try await store.entries(
            participant: fields.participant(), from: from, to: to, limit: limit + 1, offset: offset)
        return try BoundedList.response(entries, limit: limit, offset: offset, Self.encoder)
    }

    private func alerts(_ fields: RequestFields) async throws -> [UInt8] {
        let (from, to) = try fields.times()
        let (limit, offset) = (try fields.limit(Self.maximumAlerts), try fields.offset())
        let alerts = try await store.alerts(participant: fields.participant(), from: from, to: to, limit: limit, offset: offset)
        return try BoundedList.response(alerts, offset: offset, isNewestFirst: true, Self.encoder)
    }

    private func readings(_ fields: RequestFields) async throws -> ReadingsPage {
        let (from, to) = try fields.times()
        let limit = try fields.limit(Self.maximumReadings)
        let after = try fields.request.after.map { text in
            try JSONDecoder().decode(ReadingsCursor.self, from: Data(text.utf8))
        }
        return try await store.readings(
            participant: try fields.participant(), metric: fields.request.metric, from: from, to: to, limit: limit, after: after)
    }

    private func page(_ fields: RequestFields) async throws -> [UInt8] {
        let span: PageSpan = try fields.choice(fields.request.span, "span", default: .day)
        let offset = try fields.offset()
        let page = try await store.page(participant: try fields.participant(), span, to: fields.request.to ?? fields.now)
        guard offset == 0 else { return try PageWriter.response(PageDocument(page, entries: [], vitalsAfter: offset), Self.encoder) }
        let entries = try await store.entries(
            participant: page.participant, from: page.from, to: page.to, limit: Self.maximumEntries + 1)
        let alerts = try await store.alerts(participant: page.participant, from: page.from, to: page.to)
        return try PageWriter.response(PageDocument(page, entries: entries, alerts: alerts), Self.encoder)
    }

    /// What lies ahead is no gap.
    private func gaps(_ fields: RequestFields) async throws -> [SeriesGap] {
        var range = try fields.range()
        range.to = max(range.from, min(range.to, fields.now))
        return try await store.gaps(range, longerThan: fields.request.seconds ?? 60)
    }

    private func histogram(_ fields: RequestFields) async throws -> [HistogramBin] {
        let by: HistogramBinning = try fields.choice(fields.request.by, "by", default: .weekday)
        let range = try fields.range()
        var zone = fields.request.zone
        if zone == nil { zone = try await store.profile(participant: range.participant)?.timeZone }
        return try await store.histogram(range, by: by, zone: zone ?? "UTC")
    }

    private func addEntries(_ fields: RequestFields) async throws -> EntryCounts {
        guard let entries = fields.request.entries, !entries.isEmpty, entries.count <= 1000 else {
            throw QueryFailure(badRequest: "entries are missing, or more than 1000")
        }
        for entry in entries { try entry.validate() }
        let participant = try fields.participant()
        let origin = try fields.request.id.map { _ in try fields.id() }
        for entry in entries { try await store.post(entry, participant: participant, received: fields.now, origin: origin) }
        return EntryCounts(stored: entries.count)
    }

    /// The outcome for entries.
    private struct EntryCounts: Codable, Sendable {
        let stored: Int
    }

    private func addAudit(_ fields: RequestFields) async throws -> EntryCounts {
        guard let entries = fields.request.audit, !entries.isEmpty, entries.count <= 1000 else {
            throw QueryFailure(badRequest: "audit is missing, or more than 1000")
        }
        for entry in entries { try entry.validate() }
        try await store.append(audit: entries)
        return EntryCounts(stored: entries.count)
    }

    private func setProfile(_ fields: RequestFields) async throws -> ParticipantProfile {
        guard let profile = fields.request.profile else { throw QueryFailure(badRequest: "profile is missing") }
        try profile.validate()
        try await store.setProfile(profile, participant: try fields.participant())
        return profile
    }

    /// Levels are observations of the metrics `pain`, `mood` and `energy-level`, from the source `person`.
    private func addLevels(_ fields: RequestFields) async throws -> Receipt {
        let metrics = ["pain": "pain", "mood": "mood", "energy": "energy-level"]
        let levels = fields.request.levels ?? [:]
        guard !levels.isEmpty, levels.keys.allSatisfy({ metrics[$0] != nil }) else {
            throw QueryFailure(badRequest: "levels are missing, or none of pain, mood, energy")
        }
        let time = fields.request.time ?? fields.now
        let observations = try levels.sorted { $0.key < $1.key }.map { name, level in
            let observation = Observation(metric: metrics[name] ?? name, time: time, content: .value(level), unit: "1")
            return try Normaliser().normalise(ParsedObservation(observation, offsets: .init(element: 0), index: nil), now: fields.now)
        }
        let group = ObservationGroup(
            participant: try fields.participant(), source: "person", received: fields.now, observations: observations)
        let counts = try await store.append([ObservationBatch(id: ULID.make(at: fields.now), groups: [group])])[0]
        return Receipt(outcome: .stored, stored: counts.stored, duplicates: counts.duplicates, corrections: counts.corrections)
    }

    private static func result(_ value: some Codable & Sendable) throws -> [UInt8] {
        try encode(TimelineResponse(result: value))
    }

    private static func encode(_ value: some Encodable) throws -> [UInt8] { Array(try encoder.encode(value)) }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
