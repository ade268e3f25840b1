import Foundation
import MessageBus
import Observability
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import Access

/// What becomes of batches of requests, of the lines about them, and of orders about a person's data.
@Suite("Batches of requests", .timeLimit(.minutes(1)))
struct GuardedBatchTests {
    private let folder: TemporaryFolder
    private let requests: RequestGuard
    private let publisher = InMemoryPublisher()
    private static let log = Logger(service: "test", level: .error, sink: { _ in })

    init() throws {
        folder = try TemporaryFolder()
        var list = AccountList()
        list.set(.init(name: "carl", role: "carer", participants: ["anna"]))
        try list.encoded().write(to: URL(filePath: folder.path("accounts.json")))
        let table = try folder.write("{roles: {carer: {participants: 'own', ingest: ['export']}}}", to: "roles.json5")
        requests = RequestGuard(
            service: "ingest", control: try AccessControl(roles: table, accounts: folder.path("accounts.json")), log: Self.log)
    }

    /// A trail that keeps its lines, or fails.
    private final class Trail: AuditTrailWriting {
        private let lines = Mutex<[AuditEntry]>([])
        private let error: BusError?

        init(_ error: BusError? = nil) { self.error = error }

        var operations: [String] { lines.withLock { $0.map { "\($0.operation) \($0.outcome)" } } }

        func write(_ entries: [AuditEntry]) async throws {
            if let error { throw error }
            lines.withLock { $0 += entries }
        }
    }

    private func asked(_ participant: String, answer: String? = "vigil/v1/responses/carl/1") -> IncomingMessage {
        IncomingMessage(
            topic: "vigil/v1/requests/carl/ingest", payload: Array(#"{"command":"export","participant":"\#(participant)"}"#.utf8),
            properties: MessageProperties(responseTopic: answer, correlationData: [7]))
    }

    private let other = IncomingMessage(topic: "vigil/v1/observations/00/readings", payload: [1])

    /// What is handed on of a batch, and what becomes of it.
    private func handed(
        _ messages: [IncomingMessage], trail: Trail?
    ) async throws -> (messages: [IncomingMessage]?, outcome: MessageBatch.Outcome?, error: (any Error)?) {
        let outcome = Mutex<MessageBatch.Outcome?>(nil)
        let stream = AsyncStream<MessageBatch> { continuation in
            continuation.yield(MessageBatch(messages: messages) { settled in outcome.withLock { $0 = settled } })
            continuation.finish()
        }
        let guarded = GuardedRequests(stream, requests, replies: ReplyPublisher(publisher), trail: trail)
        do {
            var iterator = guarded.makeAsyncIterator()
            let batch = try await iterator.next()
            let before = outcome.withLock { $0 }
            batch?.settle(.committed)
            return (batch?.messages, before, nil)
        } catch {
            return (nil, outcome.withLock { $0 }, error)
        }
    }

    @Test("go on with what is allowed and what is no request, unsettled, and their lines are in the trail")
    func allowed() async throws {
        let trail = Trail()
        let found = try await handed([asked("anna"), other], trail: trail)
        #expect(found.messages?.count == 2 && found.messages?.last == other && found.outcome == nil)
        #expect(trail.operations.count == 1 && trail.operations.allSatisfy { $0.hasSuffix(" taken") })
        #expect(publisher.messages.isEmpty)
    }

    @Test("go on without what is refused, which is answered")
    func mixed() async throws {
        let found = try await handed([asked("ben"), other], trail: nil)
        #expect(found.messages == [other] && found.outcome == nil)
        #expect(publisher.messages.map(\.topic) == ["vigil/v1/responses/carl/1"])
        #expect(publisher.messages.first?.properties.correlationData == [7])
        #expect(publisher.messages.first.map { String(decoding: $0.payload, as: UTF8.self).contains("may not ask about ben") } == true)
    }

    @Test("of nothing but what is refused are committed, and nothing goes on")
    func refused() async throws {
        let trail = Trail()
        let found = try await handed([asked("ben"), asked("ben")], trail: trail)
        #expect(found.messages == nil && found.outcome == .committed && found.error == nil)
        #expect(publisher.messages.count == 2 && trail.operations.allSatisfy { $0.hasSuffix("refused") } && trail.operations.count == 2)
    }

    @Test("are not handed on where the trail cannot be told, and come again")
    func untold() async throws {
        let found = try await handed([asked("anna")], trail: Trail(BusError(.closed, during: .publish)))
        #expect(found.messages == nil && found.error != nil && found.outcome != .committed)
    }

    @Test("have no line in the trail where nothing was asked")
    func silent() async throws {
        let found = try await handed([other], trail: Trail(BusError(.closed, during: .publish)))
        #expect(found.messages == [other] && found.error == nil)
    }

    @Test(
        "lines go to the trail's topic as JSON; without lines nothing does; a list of rights that does not know the trail keeps nobody from asking"
    )
    func trail() async throws {
        let trail = BusAuditTrail(publisher, account: "alert", log: Self.log)
        try await trail.write([])
        #expect(publisher.messages.isEmpty)
        let entry = AuditEntry(time: Timestamp(seconds: 7), actor: "carl", operation: "latest", participant: "anna")
        try await trail.write([entry, entry])
        let message = try #require(publisher.messages.first)
        #expect(message.topic == Topic.audit(account: "alert").path && message.properties.contentType == MediaType.json)
        #expect(try JSONDecoder().decode([AuditEntry].self, from: Data(message.payload)) == [entry, entry])
        publisher.failNext(BusError(.notAuthorized, during: .publish))
        try await trail.write([entry])
        publisher.failNext(BusError(.closed, during: .publish))
        await #expect(throws: BusError.self) { try await trail.write([entry]) }
        #expect(publisher.messages.count == 1)
    }

    // MARK: - Orders about a person's data

    private func order(_ text: String, answer: String? = "vigil/v1/responses/operator/1", retained: Bool = false) -> IncomingMessage {
        IncomingMessage(
            topic: "vigil/v1/requests/operator/ingest", payload: Array(text.utf8), retained: retained,
            properties: MessageProperties(responseTopic: answer, correlationData: [9]))
    }

    /// The answers to orders, each a JSON object, and what became of their batch.
    private func answers(to orders: [IncomingMessage]) async throws -> (answers: [[String: Any]], outcome: MessageBatch.Outcome) {
        let source = BatchSource()
        let data = PersonalDataAccess(
            export: { participant in
                if participant == "odd" { throw AccessError("no room") }
                return try PersonalData("devices", [["name": participant]])
            }, erase: { $0 == "odd" ? [:] : ["devices": 2, "others": 0] })
        let service = PersonalDataService(
            batches: source, service: "vigil-ingest", instance: "main", replies: ReplyPublisher(publisher), log: Self.log, data: data)
        async let running: Void = service.run()
        let outcome = await source.send(orders)
        source.finish()
        try await running
        let found = try publisher.messages.map { try JSONSerialization.jsonObject(with: Data($0.payload)) as? [String: Any] ?? [:] }
        return (found, outcome)
    }

    @Test("an order to erase or to export is obeyed, and answered for an hour")
    func obeys() async throws {
        let (found, outcome) = try await answers(to: [
            order(#"{"command":"erase","participant":"anna"}"#), order(#"{"command":"export","participant":"anna"}"#),
        ])
        #expect(outcome == .committed && found.count == 2)
        #expect(found[0]["ok"] as? Bool == true && found[0]["removed"] as? [String: Int] == ["devices": 2])
        #expect(found[0]["service"] as? String == "vigil-ingest" && found[0]["instance"] as? String == "main")
        #expect(found[1]["part"] as? Int == 0 && found[1]["parts"] as? Int == 1)
        let text = (found[1]["data"] as? String).flatMap { Data(base64Encoded: $0) }.map { String(decoding: $0, as: UTF8.self) }
        #expect(text == "{\n\"devices\": [{\"name\":\"anna\"}]\n}\n")
        for message in publisher.messages {
            #expect(message.topic == "vigil/v1/responses/operator/1" && message.properties.correlationData == [9])
            #expect(message.properties.expiry == .seconds(3_600))
        }
    }

    @Test(
        "an order that cannot be obeyed is answered with the reason",
        arguments: [
            (#"{"command":"erase"}"#, "the order is no"), (#"{"command":"erase","participant":"a b"}"#, "the order is no"),
            ("nonsense", "the order is no"),
            (#"{"command":"forget","participant":"anna"}"#, "neither erase nor export"),
            (#"{"command":"export","participant":"odd"}"#, "no room"),
            (#"{"command":"export","participant":"anna","part":1}"#, "there is no part 1: there are 1"),
        ])
    func refuses(order text: String, words: String) async throws {
        let (found, outcome) = try await answers(to: [order(text)])
        #expect(outcome == .committed && found.count == 1 && found[0]["ok"] as? Bool == false)
        #expect((found[0]["error"] as? String)?.contains(words) == true)
    }

    @Test("an order that was kept, or that nobody waits for, is nobody's")
    func nobodys() async throws {
        let erase = #"{"command":"erase","participant":"anna"}"#
        let (found, outcome) = try await answers(to: [order(erase, retained: true), order(erase, answer: nil), order(erase, answer: "x/y")])
        #expect(found.isEmpty && outcome == .committed)
    }

    @Test("a person's data is told by kinds in their order, none where there is nothing")
    func data() throws {
        var data = try PersonalData("b", [["x": 1, "a": "/"]])
        data.merge(try PersonalData("a", encoding: [["y": 2]]))
        data.merge(try PersonalData("none", encoding: [[String: Int]]()))
        #expect(String(decoding: data.json, as: UTF8.self) == "{\n\"a\": [{\"y\":2}],\n\"b\": [{\"a\":\"/\",\"x\":1}]\n}\n")
        #expect(data.names == ["a", "b"])
        #expect(throws: EncodingError.self) { try data.add("odd", [["time": Date.now]]) }
    }

    @Test(
        "a part is full up to its length, and the last has the rest",
        arguments: [(0, [0]), (1, [1]), (393_216, [393_216]), (393_217, [393_216, 1]), (786_432, [393_216, 393_216])])
    func parts(length: Int, sizes: [Int]) {
        let text = (0..<length).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let parts = sizes.indices.map { PersonalDataPart(of: text, part: $0, service: "s", instance: "i") }
        #expect(parts.map { $0.data?.count } == sizes && parts.allSatisfy { $0.ok && $0.parts == sizes.count && $0.error == nil })
        #expect(parts.reduce([]) { $0 + ($1.data ?? Data()) } == text)
        #expect(!PersonalDataPart(of: text, part: sizes.count, service: "s", instance: "i").ok)
    }

    @Test("a digest is FNV-1a of the whole text")
    func digest() {
        for (text, digest) in [("", "cbf29ce484222325"), ("a", "af63dc4c8601ec8c"), ("foobar", "85944171f73967e8")] {
            #expect(PersonalDataPart(of: Array(text.utf8), part: 0, service: "s", instance: "i").digest == digest)
        }
        #expect(PersonalDataPart(error: "x", service: "s", instance: "i").ok == false)
    }
}
