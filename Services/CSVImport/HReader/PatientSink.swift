import Foundation
import MessageBus
import ServiceKit
import TimelineStore
import VigilSchema

/// Where patient records go.
protocol PatientSink: BatchSink {
    /// What is known of a participant as a person.
    func profile(of participant: String) async throws -> ParticipantProfile
    func set(_ profile: ParticipantProfile, of participant: String) async throws
    /// Entries with known ids take the place of those before.
    /// - Parameter origin: the import that brings them.
    func add(_ entries: [TimelineEntry], of participant: String, origin: String) async throws
}

extension StoreSink: PatientSink {
    func profile(of participant: String) async throws -> ParticipantProfile {
        try await store.profile(participant: participant) ?? ParticipantProfile()
    }

    func set(_ profile: ParticipantProfile, of participant: String) async throws {
        try profile.validate()
        try await store.setProfile(profile, participant: participant)
    }

    func add(_ entries: [TimelineEntry], of participant: String, origin: String) async throws {
        for entry in entries { try await store.post(entry, participant: participant, received: .now, origin: origin) }
    }
}

extension BusSink: PatientSink {
    /// The timeline's answer, where only its failure matters.
    private struct Done: Codable {}

    func profile(of participant: String) async throws -> ParticipantProfile {
        try await ask(TimelineRequest(.profile, participant: participant), for: ParticipantProfile.self)
    }

    func set(_ profile: ParticipantProfile, of participant: String) async throws {
        var request = TimelineRequest(.setProfile, participant: participant)
        request.profile = profile
        _ = try await ask(request, for: Done.self)
    }

    func add(_ entries: [TimelineEntry], of participant: String, origin: String) async throws {
        // The timeline takes a thousand in one request, and the broker a quarter of a megabyte in one message.
        for start in stride(from: 0, to: entries.count, by: 200) {
            var request = TimelineRequest(.addEntries, participant: participant)
            request.id = origin
            request.entries = Array(entries[start..<min(start + 200, entries.count)])
            _ = try await ask(request, for: Done.self)
        }
    }

    private func ask<Result: Codable & Sendable>(_ request: TimelineRequest, for result: Result.Type) async throws -> Result {
        let payload = Array(try JSONEncoder().encode(request))
        let answer = try await requester.request(timeout: patience) { _ in
            OutgoingMessage(
                topic: Topic.timelineQueries.path, payload: payload, properties: MessageProperties(contentType: MediaType.json))
        }
        return try JSONDecoder().decode(TimelineResponse<Result>.self, from: Data(answer.payload)).get()
    }
}
