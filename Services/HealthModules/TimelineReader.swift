import ServiceKit
import VigilSchema

/// The module host's queries to the timeline.
struct TimelineReader: Sendable {
    private let timeline: TimelineClient

    init(_ timeline: TimelineClient) { self.timeline = timeline }

    /// All people of the timeline.
    func participants() async throws -> [String] { try await timeline.list(.participants) }

    /// The metrics that the timeline has.
    func metrics(of participant: String) async throws -> Set<String> {
        Set(try await timeline.list(.metrics(participant: participant, counted: false), of: MetricSummary.self).map(\.metric))
    }

    func profile(of participant: String) async throws -> ParticipantProfile {
        try await timeline.ask(.profile(participant: participant))
    }

    /// The newest entries of some kinds, as many as fit.
    func entries(
        of participant: String, _ kinds: Set<TimelineEntry.Kind>, from: Timestamp, to: Timestamp
    ) async throws -> [TimelineEntry] {
        var newest = NewestEntries()
        let query = TimelineQuery.entries(participant: participant, .init(from: from, to: to), kinds: kinds)
        try await timeline.forEachPart(of: query) { (part: [TimelineEntry]) in newest.add(part.filter { kinds.contains($0.kind) }) }
        return newest.entries
    }

    /// Yields a metric's readings page by page.
    func readings(
        of metric: String, _ participant: String, from: Timestamp, to: Timestamp, _ take: ([ObservationGroup]) async throws -> Void
    ) async throws {
        let query = TimelineQuery.readings(participant: participant, metric: metric, .init(from: from, to: to), limit: 10_000)
        var after: String?
        repeat {
            let page: ReadingsPage = try await timeline.ask(query, after: after)
            try await take(Self.groups(page.readings, participant))
            after = page.readings.isEmpty ? nil : page.next?.after
        } while after != nil
    }

    private static func groups(_ readings: [StoredReading], _ participant: String) -> [ObservationGroup] {
        readings.compactMap { reading in
            guard let content = reading.content else { return nil }
            let observation = Observation(
                metric: reading.metric, time: reading.time, sequence: reading.sequence, interval: reading.period ?? 0, content: content,
                unit: reading.unit, zone: reading.zone)
            return ObservationGroup(
                participant: participant, source: reading.source, received: reading.received, observations: [observation])
        }
    }
}
