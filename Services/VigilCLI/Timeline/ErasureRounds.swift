import Access
import Foundation
import MessageBus
import ServiceKit
import Settings
import Timeline
import TimelineStore
import VigilSchema

/// The order to forget a participant, given to one service after the other until a whole round finds nothing any more.
///
/// The order follows the way of a reading: who could pass something on comes before who would keep it. What was under way in one round is found by
/// the next.
struct ErasureRounds: Sendable {
    /// A line of the table: a service, and what it removed.
    struct Row: Sendable, Hashable {
        let service: String
        var removed: [String: Int] = [:]
        /// The reason why something may be left.
        var problem: String?
    }

    /// The services' names in the topic, in the order in which they are asked.
    static let services = ["import", "ingest", "stress", "modules", "alert", "dashboard", "timeline"]
    private static let most = 5
    /// The time that a service other than the timeline may take, which reads through all that is stored.
    private static let patience = Duration.seconds(60)

    let session: BrokerSession
    let participant: String
    /// The time that the timeline may take.
    let limit: Duration

    /// The participant's name in the audit trail from now on; nil where it never named them.
    private(set) var pseudonym: String?
    /// The database's tables in which what was removed is only freed.
    private(set) var freed: Set<String> = []
    /// The imports that brought something of the participant.
    private(set) var imports: Set<String> = []

    init(_ invocation: Invocation, participant: String, limit: Duration) throws {
        session = try BrokerSession(invocation, command: "erase")
        (self.participant, self.limit) = (participant, limit)
    }

    /// Gives the order until nothing is found, and returns what was.
    mutating func run() async throws -> [Row] {
        let known = try await ServiceStates.read(session)
        var rows = Self.services.map { Row(service: "vigil-\($0)") } + [Row(service: "broker, retained")]
        for round in 1...Self.most {
            var found = 0
            for place in rows.indices {
                let isKnown = place == Self.services.count || known.isKnown(rows[place].service)
                guard isKnown || rows[place].service == "vigil-timeline" else { continue }
                rows[place].problem = nil
                found += try await ask(&rows[place], isOnline: known.isOnline(rows[place].service))
            }
            if found == 0, round == Self.most || !rows.contains(where: { $0.problem != nil && known.isOnline($0.service) }) { break }
            if found > 0, round == Self.most {
                rows[0].problem = "something new came in each of \(round) rounds: stop what still sends for \(participant), then ask again"
            }
        }
        return rows
    }

    /// Gives one service the order; returns the number of things that it removed.
    private mutating func ask(_ row: inout Row, isOnline: Bool) async throws -> Int {
        do {
            let removed: [String: Int]
            switch row.service {
            case "vigil-timeline": removed = try await askTimeline()
            case "broker, retained": removed = try await RetainedSweep(session: session, participant: participant).run()
            default:
                guard isOnline else { throw CommandError(.unavailable, "is not running; what it keeps is still there") }
                removed = try await order(row.service)
            }
            row.removed.merge(removed) { $0 + $1 }
            return removed.values.reduce(0, +)
        } catch let error as CommandError {
            // A timeline that does not answer, or does not want to, ends it: nothing of this is a matter of a second round.
            if row.service == "vigil-timeline" { throw error }
            row.problem = error.description
            return 0
        }
    }

    private func order(_ service: String) async throws -> [String: Int] {
        let (name, limit) = (String(service.dropFirst("vigil-".count)), min(limit, Self.patience))
        struct Order: Encodable {
            let command = "erase"
            let participant: String
            /// Known from the second round on: files may say nothing of whom they are about.
            let imports: [String]?
        }
        let own = name == "import" && !imports.isEmpty ? imports.sorted() : nil
        let request = try ServiceRequest(Order(participant: participant, imports: own), to: name)
        let answer = try await asking(name, within: limit) { requester in
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

    private mutating func askTimeline() async throws -> [String: Int] {
        let report: ErasureReport = try await timeline(.erase(participant: participant))
        pseudonym = pseudonym ?? report.pseudonym
        freed.formUnion(report.freed ?? [])
        imports.formUnion(report.imports ?? [])
        return report.rows
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
