import Access
import Foundation
import MessageBus
import TestSupport
import Testing
import VigilSchema

@testable import SensorIngest

/// What the sender of a message that no mapping takes is told.
@Suite("Reasons of what is not mapped")
struct MappedReasonTests {
    private let received = Timestamp(seconds: 1_700_000_000)

    private func read(
        _ text: String, _ topic: String, response: String? = nil,
        isAnswered: @escaping @Sendable (String, String) -> Bool = { _, _ in true }
    ) throws -> IngestResult {
        var reader = MessageReader(mappings: MappingRules(try MappingFile.load([MappingTests.shipped])), isAnswered: isAnswered)
        let properties = MessageProperties(responseTopic: response, correlationData: [1])
        return reader.read([IncomingMessage(topic: topic, payload: Array(text.utf8), properties: properties)], received: received)
    }

    @Test(
        "tell why a message cannot be read, and not that a metric is missing",
        arguments: [
            (#"{"hr":61,"hr":62}"#, "a key is given twice"), (#"{"hr":1e400}"#, "number"),
            (#"{"resourceType":"Patient"}"#, "Observations are taken"),
        ])
    func reasons(text: String, reason: String) throws {
        let result = try read(text, "vigil/v1/ingest/anna/watch")
        let told = result.refusals.map(\.error.description)
        #expect(told.count == 1 && told[0].contains(reason) && !told[0].contains("metric is missing"), "\(told)")
    }

    @Test("stay those of the suite's own format where the message can be read")
    func own() throws {
        let told = try read(#"{"value":61}"#, "vigil/v1/ingest/anna/watch").refusals.map(\.error.description)
        #expect(told.count == 1 && told[0].contains("metric is missing"), "\(told)")
    }

    @Test("go to whoever asked for a receipt, where the topic for it is one that may be asked for")
    func receipts() throws {
        let unfit = #"{"odd":1}"#, topic = "tele/lamp/STATE"
        let asked = try read(unfit, topic, response: "vigil/v1/responses/me/1")
        #expect(asked.receiptRequests.map(\.topic) == ["vigil/v1/responses/me/1"])
        #expect(asked.receiptRequests.first?.refused == 1 && asked.receiptRequests.first?.reason?.contains("no mapping") == true)
        #expect(try read(unfit, topic, response: "vigil/v1/receipts/anna/watch").receiptRequests.isEmpty)
        #expect(try read(unfit, topic).receiptRequests.isEmpty)
    }

    @Test("go to no account where accounts are known: a message that is nobody's could name anybody's")
    func strangers() throws {
        let folder = try TemporaryFolder("vigil-strangers")
        try Data(#"{"accounts":[{"name":"me","role":"device","participants":["unknown","anna"]}]}"#.utf8)
            .write(to: URL(filePath: folder.path("accounts.json")))
        try Data("{roles: {}}".utf8).write(to: URL(filePath: folder.path("roles.json5")))
        let control = try AccessControl(roles: folder.path("roles.json5"), accounts: folder.path("accounts.json"))
        for account in ["me", "operator"] {
            let result = try read(#"{"odd":1}"#, "tele/lamp/STATE", response: "vigil/v1/responses/\(account)/1") {
                SensorIngestService.isAnswered($0, for: $1, by: control)
            }
            #expect(result.receiptRequests.isEmpty && result.refusals.contains { $0.error.code == .badTopic })
        }
        #expect(SensorIngestService.isAnswered("me", for: "anna", by: control))
    }
}
