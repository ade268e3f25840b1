import Alerting
import Foundation
import MessageBus
import ServiceKit
import VigilSchema

/// Sends a command to `vigil-alert` and waits for its answer.
enum AlertRequester {
    private struct Reply: Decodable {
        let ok: Bool
        let error: String?
    }

    /// The answer's payload; what was refused ends the process with the reason.
    static func ask(_ command: CommandMessage, _ invocation: Invocation) async throws -> [UInt8] {
        let session = try BrokerSession(invocation, command: "alerts")
        let names = invocation.operands + Array(repeating: "all", count: max(0, 2 - invocation.operands.count))
        guard names.allSatisfy({ Name.isValid($0) }) else {
            throw ServiceKit.CommandError(.usage, "a participant or rule has 1 to 64 of A-Z a-z 0-9 _ . -")
        }
        let topic = Topic.alertCommand(participant: names[0], rule: names[1]).path
        let payload = [UInt8](try JSONEncoder().encode(command))
        let answer = try await session.publishing { publisher in
            let requester = Requester(
                broker: session.configuration("answers"), responsePrefix: "vigil/v1/responses/alerts-\(UInt32.random(in: 0...UInt32.max))",
                publisher: publisher)
            return try await exchange(requester) { responseTopic in OutgoingMessage(topic: topic, payload: payload) }
        }
        let reply = try JSONDecoder().decode(Reply.self, from: Data(answer))
        guard reply.ok else { throw ServiceKit.CommandError(.failure, reply.error ?? "vigil-alert refused") }
        return answer
    }

    private static func exchange(
        _ requester: Requester, _ message: @escaping @Sendable (String) -> OutgoingMessage
    ) async throws -> [UInt8] {
        try await withThrowingTaskGroup(of: [UInt8]?.self) { tasks in
            tasks.addTask {
                try await requester.run()
                return nil
            }
            tasks.addTask {
                defer { requester.drain() }
                return try await requester.request(timeout: .seconds(10), message).payload
            }
            var answer: [UInt8]?
            while let ended = try await tasks.next() { answer = ended ?? answer }
            guard let answer else { throw ServiceKit.CommandError(.unavailable, "vigil-alert did not answer") }
            return answer
        }
    }
}
