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
                topic: Topic.timelineQueries.path, payload: [UInt8](payload), properties: MessageProperties(contentType: MediaType.json))
        }.payload
    }
}

/// The questions that the module host has for the timeline.
struct TimelineReader: Sendable {
    /// A reading as the timeline tells it.
    struct StoredReading: Codable, Sendable {
        let metric: String
        let unit: String
        let source: String
        let time: Timestamp
        let sequence: Int32?
        let value: Double?
        let text: String?
        let received: Timestamp
        let zone: Int16?
    }

    /// A page of readings and the place of the next one.
    struct Page: Codable, Sendable {
        let readings: [StoredReading]
        let next: JSONValue?
    }

    private struct Metric: Codable, Sendable { let metric: String }

    private let timeline: any TimelineAsking

    init(_ timeline: any TimelineAsking) { self.timeline = timeline }

    /// Everyone whom the timeline knows.
    func participants() async throws -> [String] { try await ask(TimelineRequest(.participants)) }

    /// The metrics of which the timeline has something.
    func metrics(of participant: String) async throws -> Set<String> {
        let list: [Metric] = try await ask(TimelineRequest(.metrics, participant: participant))
        return Set(list.map(\.metric))
    }

    func profile(of participant: String) async throws -> ParticipantProfile {
        try await ask(TimelineRequest(.profile, participant: participant))
    }

    func entries(of participant: String, from: Timestamp, to: Timestamp) async throws -> [TimelineEntry] {
        var request = TimelineRequest(.entries, participant: participant)
        (request.from, request.to) = (from, to)
        return try await ask(request)
    }

    /// Hands a metric's readings on, page by page.
    func readings(
        of metric: String, _ participant: String, from: Timestamp, to: Timestamp, _ take: ([ObservationGroup]) async throws -> Void
    ) async throws {
        var request = TimelineRequest(.readings, participant: participant)
        (request.metric, request.from, request.to, request.limit) = (metric, from, to, 10_000)
        while true {
            let page: Page = try await ask(request)
            try await take(Self.groups(page.readings, participant))
            guard let next = page.next, next != .null, !page.readings.isEmpty else { return }
            request.after = String(decoding: try JSONEncoder().encode(next), as: UTF8.self)
        }
    }

    private static func groups(_ readings: [StoredReading], _ participant: String) -> [ObservationGroup] {
        readings.compactMap { reading in
            guard let content = reading.value.map({ .value($0) }) ?? reading.text.map({ Observation.Content.text($0) }) else { return nil }
            let observation = Observation(
                metric: reading.metric, time: reading.time, sequence: reading.sequence ?? 0, content: content, unit: reading.unit,
                zone: reading.zone)
            return ObservationGroup(
                participant: participant, source: reading.source, received: reading.received, observations: [observation])
        }
    }

    private func ask<Result: Codable & Sendable>(_ request: TimelineRequest) async throws -> Result {
        let answer = try await timeline.ask(request)
        return try JSONDecoder().decode(TimelineResponse<Result>.self, from: Data(answer)).get()
    }
}
