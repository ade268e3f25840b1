import Foundation
package import MessageBus
package import Observability
import ServiceKit
import VigilSchema

/// Answers the requests on `requests/<account>/timeline`.
///
/// A request is acknowledged once its answer has left or cannot leave. The answer goes below `responses/<account>`
/// only. A request without a response topic is only logged, an unreadable one is answered with the reason, and a
/// retained one is refused as old. Several requests of a delivery are answered concurrently, and written to the audit
/// trail before their answers leave. Slow queries, which change nothing, are acknowledged at once and wait in a queue
/// of their own, so that a query for years of readings does not delay a page.
package struct QueryService<Batches: AsyncSequence & Sendable>: Service where Batches.Element == MessageBatch {
    /// The most requests that are answered at once; each may take some megabytes.
    private static var window: Int { 4 }
    /// The most waiting slow queries, and the most of one account.
    private static var longestLine: Int { 64 }
    private static var longestShare: Int { 32 }

    private let batches: Batches
    private let handler: QueryHandler
    private let publisher: any MessagePublisher
    private let replies: ReplyPublisher
    private let log: Logger
    private let answered: Counter
    private let latency: Histogram
    private let refusals: Counter

    /// - Parameters:
    ///   - publisher: empties retained topics.
    ///   - replies: publishes the answers.
    package init(
        batches: Batches, handler: QueryHandler, publisher: any MessagePublisher, replies: ReplyPublisher, metrics: MetricsRegistry,
        log: Logger
    ) {
        self.batches = batches
        self.handler = handler
        self.publisher = publisher
        self.replies = replies
        self.log = log
        answered = metrics.counter("vigil_timeline_queries_total", help: "Queries answered, including with an error.")
        refusals = metrics.counter(
            "vigil_timeline_queries_refused_total", help: "Queries refused because too many of the account, or in all, were waiting.")
        latency = metrics.histogram(
            "vigil_timeline_query_seconds", help: "Time from receiving a query to the acknowledgement of its answer.")
    }

    package func run() async throws {
        let line = FairLine<Question>(limit: Self.longestLine, share: Self.longestShare)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { while let question = await line.next() { try await send([await answered(question)]) } }
            tasks.addTask {
                defer { line.finish() }
                try await takeAll(line)
            }
            try await tasks.waitForAll()
        }
    }

    private func takeAll(_ line: FairLine<Question>) async throws {
        for try await batch in batches {
            do {
                try await answer(batch.messages, line)
                batch.settle(.committed)
            } catch {
                batch.settle(.rejected)
                if Task.isCancelled { return }
                throw error
            }
        }
    }

    /// Slow queries go into the queue, and are refused if it is full. The rest is answered at once.
    private func answer(_ messages: [IncomingMessage], _ line: FairLine<Question>) async throws {
        var quick: [Question] = [], refused: [Answered] = []
        for question in messages.compactMap(question) {
            guard question.mayTakeLong else {
                quick.append(question)
                continue
            }
            guard let reason = refusal(line.add(question, of: asker(of: question))) else { continue }
            refused.append(Answered(question: question, payload: QueryFailure(unavailable: reason).answer, audit: nil))
        }
        refusals.add(refused.count)
        quick = FairOrder.interleaved(quick, by: asker)
        for first in stride(from: 0, to: quick.count, by: Self.window) {
            try await answerTogether(quick[first..<min(quick.count, first + Self.window)])
        }
        try await send(refused)
    }

    /// The reason why the queue refused a query; nil: it did not.
    private func refusal(_ outcome: FairLine<Question>.Outcome) -> String? {
        switch outcome {
        case .added: nil
        case .full: "\(Self.longestLine) questions that take long wait already: ask again later"
        case .shareIsFull: "\(Self.longestShare) of your questions that take long wait already: ask again once they are answered"
        }
    }

    private func asker(of question: Question) -> String { question.asked.actor ?? Self.account(question.topic) }

    /// A request and the topic of its answer.
    private struct Question: Sendable {
        let asked: Asked
        let topic: ReplyTopic
        let isRetained: Bool
        let taken = ContinuousClock.now

        var mayTakeLong: Bool {
            guard case .request(let request) = asked, !isRetained else { return false }
            return request.query.mayTakeLong
        }
    }

    private struct Answered: Sendable {
        let question: Question
        let payload: [UInt8]
        let audit: AuditEntry?

        var reply: Reply { Reply(to: question.topic.path, correlation: question.topic.correlation, expiry: .seconds(3600)) { payload } }
    }

    /// Reads a message; nil: nobody can be answered.
    private func question(_ message: IncomingMessage) -> Question? {
        let asked = Asked(message.payload)
        return replyTopic(message, asked.responseTopic).map { Question(asked: asked, topic: $0, isRetained: message.retained) }
    }

    private func answered(_ question: Question) async -> Answered {
        let actor = asker(of: question)
        let (payload, audit) = question.isRetained ? Self.retained : await result(of: question.asked, actor: actor)
        return Answered(question: question, payload: payload, audit: audit)
    }

    private func answerTogether(_ questions: ArraySlice<Question>) async throws {
        try await send(
            await withTaskGroup(of: Answered.self) { tasks in
                for question in questions { tasks.addTask { await answered(question) } }
                return await tasks.reduce(into: [Answered]()) { $0.append($1) }
            })
    }

    /// The audit lines are written before the answers leave, so that everything that was read has a line.
    private func send(_ results: [Answered]) async throws {
        await tell(results.compactMap(\.audit))
        try await replies.publish(results.map(\.reply))
        answered.add(results.count)
        for result in results { latency.observe(result.question.taken.duration(to: .now)) }
    }

    private func tell(_ audit: [AuditEntry]) async {
        guard !audit.isEmpty else { return }
        do {
            try await handler.note(audit)
        } catch {
            log.error("the audit trail could not be told", ["requests": "\(audit.count)", "error": "\(error)"])
        }
    }

    private static var retained: (answer: [UInt8], audit: AuditEntry?) {
        (QueryFailure(badRequest: "a retained request is not answered: publish it without the retain flag").answer, nil)
    }

    /// The payload of a request, as far as it is readable.
    private enum Asked: Sendable {
        case request(TimelineRequest)
        case invalid(TimelineRequest.Invalid)
        /// An unreadable payload, and the reason.
        case unreadable(String)

        init(_ payload: [UInt8]) {
            do {
                self = .request(try JSONDecoder().decode(TimelineRequest.self, from: Data(payload)))
            } catch let error as TimelineRequest.Invalid {
                self = .invalid(error)
            } catch {
                self = .unreadable(QueryService.words(error))
            }
        }

        /// The response topic in the payload, as over MQTT 3.1.1.
        var responseTopic: String? {
            switch self {
            case .request(let request): request.responseTopic
            case .invalid(let request): request.responseTopic
            case .unreadable: nil
            }
        }

        /// The name of the asker in the payload, if any; checked by `GuardedRequests`.
        var actor: String? {
            switch self {
            case .request(let request): request.actor
            case .invalid(let request): request.actor
            case .unreadable: nil
            }
        }
    }

    private func result(of asked: Asked, actor: String) async -> (answer: [UInt8], audit: AuditEntry?) {
        switch asked {
        case .request(let request): await result(of: request, actor: actor)
        case .invalid(let invalid): handler.answer(invalid, actor: actor)
        case .unreadable(let why): (QueryFailure(badRequest: "the request cannot be read: \(why)").answer, nil)
        }
    }

    /// The topic of the answer; nil, and logged, if there is none.
    private func replyTopic(_ message: IncomingMessage, _ named: String?) -> ReplyTopic? {
        guard let asked = message.properties.responseTopic ?? named else {
            log.warning("a query names no response topic; over MQTT 3.1.1 it is a field, responseTopic")
            return nil
        }
        do {
            return try ReplyTopic(asked, correlation: message.properties.correlationData, of: .account)
        } catch {
            log.warning("a query cannot be answered", ["error": "\(error)"])
            return nil
        }
    }

    /// The account that may read the answer.
    private static func account(_ topic: ReplyTopic) -> String {
        let levels = topic.path.dropFirst(Topic.prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        return levels.count > 1 ? String(levels[1]) : "unknown"
    }

    /// Before an erasure, retained messages for displays are removed, because afterwards nobody knows their topics. A reading's is removed
    /// once more after it: whoever hears that it is gone asks the timeline for the newest, which the reading still was.
    private func result(of request: TimelineRequest, actor: String) async -> (answer: [UInt8], audit: AuditEntry?) {
        let topics: [Topic]
        do {
            topics = try await handler.retainedTopics(of: request)
            try await empty(topics)
        } catch {
            let failure = QueryFailure(unavailable: "nothing is erased, as the retained readings could not be: \(error)")
            return (failure.answer, nil)
        }
        let result = await handler.answer(request, actor: actor)
        guard case .removeReadings = request.query else { return result }
        do { try await empty(topics) } catch { log.warning("retained readings not removed again", ["error": "\(error)"]) }
        return result
    }

    private func empty(_ topics: [Topic]) async throws {
        for topic in topics { try await publisher.publish(OutgoingMessage(topic: topic.path, payload: [], retained: true)) }
    }

    /// The problem with a request, by the name of its field.
    private static func words(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "it is no JSON object" }
        switch error {
        case .keyNotFound(let key, _): return "\(key.stringValue) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            return path.isEmpty ? "it is no JSON object" : "\(path) is wrong"
        @unknown default: return "it is wrong"
        }
    }
}

extension TimelineQuery {
    /// Whether the query reads raw observations over a time that the asker chooses, or all days of a person, and is
    /// therefore slow.
    fileprivate var mayTakeLong: Bool {
        switch self {
        case .readings, .waveform, .envelope, .gaps: true
        case .metrics(_, let counted): counted
        default: false
        }
    }
}
