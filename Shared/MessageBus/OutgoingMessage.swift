/// A message to publish.
package struct OutgoingMessage: Sendable, Hashable {
    /// Without wildcards, 1 to 65,535 bytes of UTF-8.
    package var topic: String
    package var payload: [UInt8]
    package var qos: QoS
    /// Kept by the broker for later subscribers; an empty payload removes what is kept.
    package var retained: Bool
    package var properties: MessageProperties
    /// Given up once it was in flight on two connections in a row that broke, instead of being sent for ever. See `ReplyPublisher`.
    package var isExpendable = false

    package init(
        topic: String, payload: [UInt8], qos: QoS = .atLeastOnce, retained: Bool = false,
        properties: MessageProperties = MessageProperties()
    ) {
        self.topic = topic
        self.payload = payload
        self.qos = qos
        self.retained = retained
        self.properties = properties
    }
}
