import Foundation
import MessageBus
import ServiceKit
import Settings
import VigilSchema

/// Reads and sets a service's parameters over the bus.
struct ModuleClient: Sendable {
    private struct Request: Encodable {
        let name: String
        let value: String?
        let responseTopic: String
    }

    private struct Answer: Decodable {
        let value: ParameterValue?
        let error: String?
    }

    /// A connection on which parameters can be read and set.
    struct Connected: Sendable {
        fileprivate let requester: Requester
        fileprivate let service: String
        fileprivate let timeout: Duration

        /// A parameter's value as text.
        func get(_ name: String) async throws -> String {
            try await ask(Topic.moduleGet(service: service), name, nil)
        }

        /// Sets a parameter.
        func set(_ name: String, _ value: String) async throws {
            _ = try await ask(Topic.moduleSet(service: service), name, value)
        }

        private func ask(_ topic: Topic, _ name: String, _ value: String?) async throws -> String {
            let reply: IncomingMessage
            do {
                reply = try await requester.request(timeout: timeout) { responseTopic in
                    let request = Request(name: name, value: value, responseTopic: responseTopic)
                    // Three plain members always encode.
                    let payload = (try? JSONEncoder().encode(request)).map { [UInt8]($0) } ?? []
                    return OutgoingMessage(topic: topic.path, payload: payload)
                }
            } catch {
                guard error.code == .timedOut else { throw error }
                throw CommandError(.unavailable, "\(service) did not answer within \(timeout); vigil check says whether it runs")
            }
            let answer = try JSONDecoder().decode(Answer.self, from: Data(reply.payload))
            if let error = answer.error { throw CommandError(.failure, "\(service): \(error)") }
            return answer.value?.text ?? ""
        }
    }

    let session: BrokerSession
    let service: String
    let timeout: Duration

    /// Runs `body` with a connection.
    func run<Result: Sendable>(_ body: @escaping @Sendable (Connected) async throws -> Result) async throws -> Result {
        try await session.requesting(answersBelow: session.answerTopic) { requester in
            try await body(Connected(requester: requester, service: service, timeout: timeout))
        }
    }
}
