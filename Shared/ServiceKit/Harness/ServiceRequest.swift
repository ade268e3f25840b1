import Foundation
package import MessageBus
package import VigilSchema

/// A request to a service of the suite: JSON with the response topic among its members, as MQTT 3.1.1 has no other place for it.
package struct ServiceRequest<Body: Encodable & Sendable>: Encodable, Sendable {
    private enum Members: String, CodingKey { case responseTopic }

    private let body: Body
    private let service: String
    private var responseTopic: String?

    /// - Parameters:
    ///   - body: A JSON object with what is asked.
    ///   - service: The service as it is called in topics, for example `alert`.
    package init(_ body: Body, to service: String) throws {
        (self.body, self.service) = (body, service)
        // What cannot be encoded is an error before anything is published.
        _ = try JSONEncoder().encode(self)
    }

    /// The message, under the account that the response topic names.
    package func message(answeredOn responseTopic: String) -> OutgoingMessage {
        message(answeredOn: responseTopic, to: Topic.request(answeredOn: responseTopic, service: service))
    }

    /// The message on a topic that tells no account, as that of modules' parameters.
    package func message(answeredOn responseTopic: String, to topic: Topic) -> OutgoingMessage {
        var request = self
        request.responseTopic = responseTopic
        // It was encoded before, with one text less.
        let payload = (try? JSONEncoder().encode(request)) ?? Data()
        return OutgoingMessage(
            topic: topic.path, payload: [UInt8](payload),
            properties: MessageProperties(contentType: MediaType.json))
    }

    package func encode(to encoder: any Encoder) throws {
        try body.encode(to: encoder)
        var members = encoder.container(keyedBy: Members.self)
        try members.encodeIfPresent(responseTopic, forKey: .responseTopic)
    }
}
