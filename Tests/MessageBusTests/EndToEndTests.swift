import Foundation
import MessageBus
import TestSupport
import Testing

@Suite("From publisher to consumer", .serialized, .timeLimit(.minutes(4)))
struct EndToEndTests {
    @Test("carries payload, topic and every MQTT 5 property", arguments: [QoS.atMostOnce, .atLeastOnce])
    func properties(qos: QoS) async throws {
        let server = try await MosquittoServer.start()
        let sent = OutgoingMessage(
            topic: "a/b", payload: Array("hello".utf8), qos: qos,
            properties: MessageProperties(
                contentType: "text/plain", responseTopic: "answers/1", correlationData: [1, 0, 255],
                userProperties: [UserProperty("k", "v"), UserProperty("k", "w")], expiry: .seconds(600)))
        let events = EventLog()
        let consumer = Consumer(
            configuration: ConsumerConfiguration(broker: server.configuration(clientID: "c"), subscriptions: [Subscription("a/#")]),
            onEvent: events.note)
        let publisher = Publisher(configuration: PublisherConfiguration(broker: server.configuration(clientID: "p")))
        let message = try await withRunning(consumer) { consumer in
            try await withRunning(publisher) { publisher in
                try await events.waitUntilReady()
                try await publisher.publish(sent)
                return try await consumer.takeMessages(1)
            }
        }.first
        #expect(message?.topic == sent.topic)
        #expect(message?.payload == sent.payload)
        #expect(message?.qos == qos)
        #expect(message?.retained == false)
        #expect(message?.properties == sent.properties)
    }
}
