package import MessageBus
import VigilSchema

/// A canonical batch on its way to the store.
package struct OutboxEntry: Sendable, Hashable {
    /// The batch's id.
    package let id: String
    package let topic: String
    package let payload: [UInt8]
    /// The places, in the list that is given along, of those who asked for a receipt and have readings in it.
    package let asks: [Int]

    package init(id: String, topic: String, payload: [UInt8], asks: [Int] = []) {
        self.id = id
        self.topic = topic
        self.payload = payload
        self.asks = asks
    }

    /// As it goes to the bus.
    /// - Parameter confirmations: where the timeline is to confirm it; nil where it need not.
    package func message(confirmations: String?) -> OutgoingMessage {
        var properties = MessageProperties(contentType: MediaType.batch)
        if let confirmations {
            properties.responseTopic = confirmations
            properties.correlationData = Array(id.utf8)
            properties.userProperties = [UserProperty(Confirmation.property, Confirmation.value)]
        }
        return OutgoingMessage(topic: topic, payload: payload, properties: properties)
    }
}
