import Foundation
import MessageBus
import ServiceKit
import Settings
import VigilSchema

/// Reads and sets a service's parameters over the bus.
struct ModuleClient: Sendable {
    /// A connection on which parameters can be read and set.
    struct Connected: Sendable {
        fileprivate let exchange: ParameterExchange

        /// A parameter's value as text.
        func get(_ name: String) async throws -> String { try await ask(.moduleGet(service: exchange.service), name, nil) }

        /// Sets a parameter.
        func set(_ name: String, _ value: String) async throws {
            _ = try await ask(.moduleSet(service: exchange.service), name, .text(value))
        }

        private func ask(_ topic: Topic, _ name: String, _ value: ParameterValue?) async throws -> String {
            let answer = try await exchange.ask(topic, name, value)
            if let error = answer.error { throw CommandError(.failure, "\(exchange.service): \(error)") }
            return answer.value?.text ?? ""
        }
    }

    let session: BrokerSession
    let service: String
    let timeout: Duration

    /// Runs `body` with a connection.
    func run<Result: Sendable>(_ body: @escaping @Sendable (Connected) async throws -> Result) async throws -> Result {
        try await session.requesting(answersBelow: session.answerTopic) { requester in
            try await body(Connected(exchange: ParameterExchange(requester: requester, service: service, timeout: timeout)))
        }
    }
}

/// The messages by which a service's parameters are read and set, and their answers.
struct ParameterExchange: Sendable {
    /// An answer as services give it: a value, a document where the service knows more than values, or the reason why there is neither.
    struct Answer: Decodable, Sendable {
        let value: ParameterValue?
        let document: JSONValue?
        let error: String?
    }

    private struct Request: Encodable {
        let name: String
        let participant: String?
        let value: ParameterValue?
        let responseTopic: String
    }

    let requester: Requester
    let service: String
    let timeout: Duration

    /// Asks, and returns the answer.
    /// - Parameter participant: for parameters that each person has.
    func ask(_ topic: Topic, _ name: String, _ value: ParameterValue?, of participant: String? = nil) async throws -> Answer {
        let reply: IncomingMessage
        do {
            reply = try await requester.request(timeout: timeout) { responseTopic in
                let request = Request(name: name, participant: participant, value: value, responseTopic: responseTopic)
                // Plain members always encode.
                let payload = (try? JSONEncoder().encode(request)).map { [UInt8]($0) } ?? []
                return OutgoingMessage(topic: topic.path, payload: payload)
            }
        } catch {
            guard error.code == .timedOut else { throw error }
            throw CommandError(.unavailable, "\(service) did not answer within \(timeout); vigil check says whether it runs")
        }
        return try JSONDecoder().decode(Answer.self, from: Data(reply.payload))
    }
}
