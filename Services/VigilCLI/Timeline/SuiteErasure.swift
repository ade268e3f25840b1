import Access
import Foundation
import MessageBus
import ServiceKit
import Settings
import Timeline
import TimelineStore
import VigilSchema

/// The way of `vigil erase` to the services, over the broker.
struct SuiteErasure: ErasureRounds.Suite {
    /// The time that a service other than the timeline may take, which reads through all that is stored.
    private static let patience = Duration.seconds(60)

    let session: BrokerSession
    let participant: String
    /// The time that the timeline may take.
    let limit: Duration
    private var known = ServiceStates()

    init(_ invocation: Invocation, participant: String, limit: Duration) throws {
        session = try BrokerSession(invocation, command: "erase")
        (self.participant, self.limit) = (participant, limit)
    }

    /// Gives the order until nothing is found, and returns what was.
    mutating func run(_ rounds: inout ErasureRounds) async throws -> [ErasureRounds.Row] {
        known = try await ServiceStates.read(session)
        return try await rounds.run(participant, in: self)
    }

    func presence(of service: String) -> ErasureRounds.Presence {
        known.isOnline(service) ? .online : known.isKnown(service) ? .offline : .never
    }

    func eraseFromTimeline(_ participant: String) async throws -> ErasureReport { try await timeline(.erase(participant: participant)) }

    var unattended: String? { "broker, retained" }

    func sweep(_ participant: String) async throws -> [String: Int] {
        try await RetainedSweep(session: session, participant: participant).run()
    }

    /// A timeline that does not answer, or does not want to, ends it: nothing of this is a matter of a second round.
    func problem(_ error: any Error, with service: String) throws -> String {
        guard service != "vigil-timeline", let error = error as? CommandError else { throw error }
        return error.description
    }

    func erase(_ participant: String, from service: String, imports: [String]) async throws -> [String: Int] {
        let limit = min(limit, Self.patience)
        struct Order: Encodable {
            let command = "erase"
            let participant: String
            let imports: [String]?
        }
        let request = try ServiceRequest(Order(participant: participant, imports: imports.isEmpty ? nil : imports), to: service)
        let answer = try await asking(service, within: limit) { requester in
            try await requester.request(timeout: limit) { request.message(answeredOn: $0) }.payload
        }
        struct Refusal: Decodable { let error: String? }
        guard let confirmation = try? JSONDecoder().decode(ErasureConfirmation.self, from: Data(answer)) else {
            let refusal = try? JSONDecoder().decode(Refusal.self, from: Data(answer)).error
            throw CommandError(.failure, refusal ?? "its answer cannot be read")
        }
        guard confirmation.ok else { throw CommandError(.failure, confirmation.error ?? "it has not confirmed") }
        return confirmation.removed
    }

    /// Asks the timeline one question.
    func timeline<Result: Codable & Sendable>(_ query: TimelineQuery) async throws -> Result {
        try await timeline { try await $0.ask(query) }
    }

    /// Asks the timeline.
    func timeline<Result: Codable & Sendable>(
        _ ask: @escaping @Sendable (TimelineClient) async throws -> Result
    ) async throws -> Result {
        do {
            return try await asking("timeline", within: limit) { try await ask(TimelineClient($0, timeout: limit)) }
        } catch let failure as TimelineResponse<Result>.Failure {
            throw CommandError(["bad-request": .usage, "refused": .failure][failure.code] ?? .unavailable, failure.reason)
        }
    }

    private func asking<Result: Sendable>(
        _ service: String, within limit: Duration, _ body: @escaping @Sendable (Requester) async throws -> Result
    ) async throws -> Result {
        do {
            return try await session.requesting(answersBelow: session.answerTopic, body)
        } catch let error as BusError where error.code == .timedOut {
            throw CommandError(
                .unavailable, "no answer within \(limit); vigil-\(service) may still be at work, or not be running: ask again")
        }
    }
}

/// Empties what the broker retains of a participant and no service takes back.
struct RetainedSweep: Sendable {
    let session: BrokerSession
    let participant: String
    /// The topics that are swept; nil: all of Vigil's that the broker retains of a person.
    var filters: [String]?

    /// A retained message.
    struct Message: Sendable {
        let topic: String
        let payload: [UInt8]

        /// The topic's first level of its own, for example `alerts`.
        var kind: String { String(topic.dropFirst(Topic.prefix.count).prefix { $0 != "/" }) }
    }

    /// - Returns: the number of messages by their topics' kind.
    func run() async throws -> [String: Int] {
        let found = try await messages()
        if !found.isEmpty { try await empty(found.map(\.topic)) }
        return Dictionary(grouping: found, by: \.kind).mapValues(\.count)
    }

    /// The messages that are retained of the participant.
    func messages() async throws -> [Message] {
        let mark = "\(Topic.prefix)receipts/vigil-erase/mark-\(UInt32.random(in: 0...UInt32.max))"
        let own = ["latest", "alerts", "messages", "ingest"].map { "\(Topic.prefix)\($0)/\(participant)/+" }
        let filters = ((filters ?? own) + [mark]).map { Subscription($0) }
        let tell: @Sendable () async throws -> Void = {
            try await session.publishing { try await $0.publish(OutgoingMessage(topic: mark, payload: [1])) }
        }
        return try await session.receiving(filters, subscribed: tell) { batches in
            var found: [Message] = []
            for try await batch in batches {
                defer { batch.settle(.committed) }
                for message in batch.messages {
                    if message.topic == mark { return found }
                    if message.retained, !message.payload.isEmpty { found.append(Message(topic: message.topic, payload: message.payload)) }
                }
            }
            return found
        }
    }

    private func empty(_ topics: [String]) async throws {
        try await session.publishing { publisher in
            for topic in topics { try await publisher.publish(OutgoingMessage(topic: topic, payload: [], retained: true)) }
        }
    }
}
