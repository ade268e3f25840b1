import Foundation
import MessageBus
import ServiceKit
import TestSupport
import Testing
import VigilSchema

@testable import Dashboard

/// A broker of a cluster speaks MQTT 3.1.1, which has no place for where an answer goes but the request itself.
@Suite("What the dashboard asks other services", .timeLimit(.minutes(2)))
struct SuiteClientTests {
    private struct Command: Encodable, Sendable {
        var command = "acknowledge"
    }

    @Test(
        "every request is answered, whichever version the broker speaks", arguments: [.v311, .v5] as [BrokerConfiguration.ProtocolVersion])
    func answered(_ version: BrokerConfiguration.ProtocolVersion) async throws {
        let broker = try await MosquittoServer.start()
        let events = EventLog()
        let service = Consumer(
            configuration: ConsumerConfiguration(
                broker: broker.configuration(clientID: "service", version: version),
                subscriptions: ["vigil/v1/requests/#", "vigil/v1/modules/#"].map { Subscription($0) }), onEvent: events.note)
        let requester = Requester(
            broker: broker.configuration(clientID: "dashboard", version: version), responsePrefix: "vigil/v1/responses/dashboard/a")
        try await withRunning(service) { service in
            try await withRunning({ try await answer(service, broker) }, stop: { service.drain() }) {
                try await events.waitUntilReady()
                try await withRunning({ try await requester.run() }, stop: { requester.drain() }) {
                    let client = SuiteClient(requester).acting(for: "nurse", from: "192.0.2.1")
                    #expect(try await topic(client.alert(Command(), participant: "anna", rule: "high")) == "requests/dashboard/alert")
                    #expect(try await topic(client.stress(Command(), participant: "anna")) == "requests/dashboard/stress")
                    let sent = try await client.send(Command(), to: "import", within: .seconds(30))
                    #expect(topic(sent) == "requests/dashboard/import")
                    #expect(try await topic(client.parameter("rate", of: "vigil-alert")) == "modules/vigil-alert/get")
                    #expect(try await topic(client.parameter("rate", of: "vigil-alert", set: .number(1))) == "modules/vigil-alert/set")
                }
            }
        }
    }

    /// Answers with the topic of the request where the request says, if it is signed by who is signed in or asks for a parameter.
    private func answer(_ service: Consumer, _ broker: MosquittoServer) async throws {
        for try await batch in service.batches {
            for message in batch.messages {
                let fields = try #require(try JSONSerialization.jsonObject(with: Data(message.payload)) as? [String: Any])
                let topic = try #require(fields["responseTopic"] as? String)
                #expect(fields["actor"] as? String == "nurse" || fields["name"] as? String == "rate")
                try await broker.publish([OutgoingMessage(topic: topic, payload: Array(message.topic.utf8))])
            }
            batch.settle(.committed)
        }
    }

    private func topic(_ answer: [UInt8]) -> String { String(decoding: answer, as: UTF8.self).replacing("vigil/v1/", with: "") }
}
