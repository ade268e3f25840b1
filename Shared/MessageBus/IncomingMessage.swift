/// A message as it came from the broker. Topic and payload are a stranger's: nothing about them has been checked but MQTT's own rules.
package struct IncomingMessage: Sendable, Hashable {
    package let topic: String
    package let payload: [UInt8]
    /// Whether the broker had kept it from before the subscription, rather than just received it.
    package let retained: Bool
    package let qos: QoS
    package let properties: MessageProperties
    /// The broker's number of this delivery, 1 to 65,535: the same where the broker delivers it again within the session; 0 at QoS 0.
    package let packetID: UInt16

    package init(
        topic: String, payload: [UInt8], retained: Bool = false, qos: QoS = .atLeastOnce,
        properties: MessageProperties = MessageProperties(), packetID: UInt16 = 0
    ) {
        self.topic = topic
        self.payload = payload
        self.retained = retained
        self.qos = qos
        self.properties = properties
        self.packetID = packetID
    }
}
