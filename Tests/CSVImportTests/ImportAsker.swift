import Foundation
import MessageBus
import SuiteHarness
import TestSupport
import Testing
import VigilSchema

/// An asker with the account's name in its topics.
struct ImportAsker: Sendable {
    let requester: Requester
    let account: String

    func ask(_ members: [String: Any], within limit: Duration = .seconds(60)) async throws -> [String: Any] {
        let payload = [UInt8](try JSONSerialization.data(withJSONObject: members))
        let topic = Topic.request(account: account, service: "import").path
        let answer = try await requester.request(timeout: limit) { _ in
            OutgoingMessage(topic: topic, payload: payload, properties: MessageProperties(contentType: MediaType.json))
        }
        return try #require(try JSONSerialization.jsonObject(with: Data(answer.payload)) as? [String: Any])
    }

    /// Returns once somebody answers, as not before whoever has just taken another's place has subscribed.
    func waitForAnswer() async throws {
        try await eventually(within: .seconds(90), "an answer") { (try? await ask(["command": "jobs"], within: .seconds(1))) != nil }
    }

    /// Sends a whole file, and returns its job.
    func send(_ text: String, name: String) async throws -> String {
        let bytes = Data(text.utf8)
        let begun = try await ask(["command": "begin", "name": name, "size": bytes.count])
        let job = try #require(begun["job"] as? String, "\(begun)")
        for offset in stride(from: 0, to: bytes.count, by: 200_000) {
            let piece = bytes[offset..<min(bytes.count, offset + 200_000)].base64EncodedString()
            let answer = try await ask(["command": "append", "job": job, "offset": offset, "data": piece])
            #expect(answer["ok"] as? Bool == true, "\(answer)")
        }
        return job
    }

    func job(_ id: String) async throws -> [String: Any] {
        let answer = try await ask(["command": "jobs", "job": id])
        return try #require((answer["jobs"] as? [[String: Any]])?.first, "\(answer)")
    }

    /// The job once it is in one of these states.
    func job(_ id: String, in states: Set<String>) async throws -> [String: Any] {
        var job: [String: Any] = [:]
        try await eventually("the job to be \(states.sorted())") {
            job = try await self.job(id)
            return states.contains(job["state"] as? String ?? "")
        }
        return job
    }
}

func asking<Result: Sendable>(
    _ broker: MosquittoServer, as account: String = "dashboard", _ body: @escaping @Sendable (ImportAsker) async throws -> Result
) async throws -> Result {
    let requester = Requester(
        broker: BrokerConfiguration(host: "127.0.0.1", port: broker.port, clientID: "asker-\(account)"),
        responsePrefix: "vigil/v1/responses/\(account)/t")
    return try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask {
            try await requester.run()
            return nil
        }
        group.addTask { try await body(ImportAsker(requester: requester, account: account)) }
        defer { group.cancelAll() }
        while let ended = try await group.next() { if let ended { return ended } }
        throw CancellationError()
    }
}
