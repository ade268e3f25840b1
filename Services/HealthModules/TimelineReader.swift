import Foundation
import MessageBus
import ServiceKit
import VigilSchema

/// Asks the timeline over the bus, as any app does.
protocol TimelineAsking: Sendable {
    /// The answer's JSON.
    func ask(_ request: TimelineRequest) async throws -> [UInt8]
}

/// The answers of `vigil-timeline` over the broker.
struct BusTimeline: TimelineAsking {
    let requester: Requester
    let timeout: Duration

    func ask(_ request: TimelineRequest) async throws -> [UInt8] {
        let encoded = try JSONEncoder().encode(request)
        return try await requester.request(timeout: timeout) { responseTopic in
            var request = request
            request.responseTopic = responseTopic
            // A request that was encoded before is encoded with one text more.
            let payload = (try? JSONEncoder().encode(request)) ?? encoded
            return OutgoingMessage(
                topic: Topic.request(answeredOn: responseTopic, service: "timeline").path, payload: [UInt8](payload),
                properties: MessageProperties(contentType: MediaType.json))
        }.payload
    }
}

/// The questions that the module host has for the timeline.
struct TimelineReader: Sendable {
    private let timeline: any TimelineAsking

    init(_ timeline: any TimelineAsking) { self.timeline = timeline }

    /// Everyone whom the timeline knows.
    func participants() async throws -> [String] { try await ask(.participants) }

    /// The metrics of which the timeline has something.
    func metrics(of participant: String) async throws -> Set<String> {
        let list: [MetricSummary] = try await ask(.metrics(participant: participant))
        return Set(list.map(\.metric))
    }

    func profile(of participant: String) async throws -> ParticipantProfile { try await ask(.profile(participant: participant)) }

    func entries(of participant: String, from: Timestamp, to: Timestamp) async throws -> [TimelineEntry] {
        try await ask(.entries(participant: participant, .init(from: from, to: to)))
    }

    /// Hands a metric's readings on, page by page.
    func readings(
        of metric: String, _ participant: String, from: Timestamp, to: Timestamp, _ take: ([ObservationGroup]) async throws -> Void
    ) async throws {
        let query = TimelineQuery.readings(participant: participant, metric: metric, .init(from: from, to: to), limit: 10_000)
        var after: String?
        repeat {
            let page: ReadingsPage = try await ask(query, after: after)
            try await take(Self.groups(page.readings, participant))
            after = page.readings.isEmpty ? nil : page.next?.after
        } while after != nil
    }

    private static func groups(_ readings: [StoredReading], _ participant: String) -> [ObservationGroup] {
        readings.compactMap { reading in
            guard let content = reading.content else { return nil }
            let observation = Observation(
                metric: reading.metric, time: reading.time, sequence: reading.sequence, content: content, unit: reading.unit,
                zone: reading.zone)
            return ObservationGroup(
                participant: participant, source: reading.source, received: reading.received, observations: [observation])
        }
    }

    private func ask<Result: Codable & Sendable>(_ query: TimelineQuery, after: String? = nil) async throws -> Result {
        try TimelineResponse<Result>(decoding: await timeline.ask(TimelineRequest(query, after: after))).get()
    }
}
