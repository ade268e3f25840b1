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
        let answer = try await session.requesting(answersBelow: session.answerTopic) { requester in
            try await requester.request(timeout: .seconds(10)) { _ in OutgoingMessage(topic: topic, payload: payload) }.payload
        }
        let reply = try JSONDecoder().decode(Reply.self, from: Data(answer))
        guard !reply.ok else { return answer }
        let lines = (reply.error ?? "vigil-alert refused").split(separator: "\n").map(String.init)
        for line in lines.dropFirst() { StandardError.line(line) }
        throw ServiceKit.CommandError(.failure, lines.first ?? "vigil-alert refused")
    }
}
