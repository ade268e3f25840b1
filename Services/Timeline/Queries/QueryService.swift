import Foundation
package import MessageBus
package import Observability
import ServiceKit
import VigilSchema

/// Answers the requests that come on `timeline/queries`.
///
/// A request is acknowledged once its answer has left. One without a response topic has nobody to answer to and is only logged;
/// one that cannot be read is answered with the reason. Requests of one delivery are answered side by side.
package struct QueryService<Batches: AsyncSequence & Sendable>: Service where Batches.Element == MessageBatch {
    private let batches: Batches
    private let handler: QueryHandler
    private let publisher: any MessagePublisher
    private let log: Logger
    private let answered: Counter
    private let latency: Histogram

    package init(
        batches: Batches, handler: QueryHandler, publisher: any MessagePublisher, metrics: MetricsRegistry, log: Logger
    ) {
        self.batches = batches
        self.handler = handler
        self.publisher = publisher
        self.log = log
        answered = metrics.counter("vigil_timeline_queries_total", help: "Queries answered, also with an error.")
        latency = metrics.histogram("vigil_timeline_query_seconds", help: "From taking a query to its answer's acknowledgement.")
    }

    package func run() async throws {
        for try await batch in batches {
            await withTaskGroup { tasks in
                for message in batch.messages {
                    tasks.addTask { await answer(message) }
                }
            }
            batch.settle(.committed)
        }
    }

    private func answer(_ message: IncomingMessage) async {
        let start = ContinuousClock.now
        let request = Result { try JSONDecoder().decode(TimelineRequest.self, from: Data(message.payload)) }
        let topic = message.properties.responseTopic ?? (try? request.get())?.responseTopic
        guard let topic else { return log.warning("a query names no response topic; over MQTT 3.1.1 it is a field, responseTopic") }
        let payload: [UInt8]
        switch request {
        case .success(let request): payload = await result(of: request)
        case .failure(let error):
            payload = QueryHandler.failure(QueryFailure(badRequest: "the request cannot be read: \(Self.words(error))"))
        }
        do {
            try await publisher.publish(
                OutgoingMessage(
                    topic: topic, payload: payload,
                    properties: MessageProperties(contentType: MediaType.json, correlationData: message.properties.correlationData)))
            answered.add()
            latency.observe(start.duration(to: .now))
        } catch {
            log.warning("an answer could not be published", ["error": "\(error)"])
        }
    }

    /// Before a participant is erased, so is what the broker keeps for displays: afterwards nobody knows what that was.
    private func result(of request: TimelineRequest) async -> [UInt8] {
        do {
            for topic in try await handler.retainedTopics(of: request) {
                try await publisher.publish(OutgoingMessage(topic: topic.path, payload: [], retained: true))
            }
        } catch {
            return QueryHandler.failure(QueryFailure(unavailable: "nothing is erased, as the retained readings could not be: \(error)"))
        }
        return await handler.answer(request)
    }

    /// What is wrong with a request, by the name of its field.
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
