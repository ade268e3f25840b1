package import MessageBus
import VigilSchema

/// A canonical batch on its way to the store.
package struct OutboxEntry: Sendable, Hashable {
    /// The batch's id.
    package let id: String
    package let topic: String
    package let payload: [UInt8]
    /// The places, in the list that is given along, of those who asked for a receipt and have readings in it.
    package let receiptRequests: [Int]

    package init(id: String, topic: String, payload: [UInt8], receiptRequests: [Int] = []) {
        self.id = id
        self.topic = topic
        self.payload = payload
        self.receiptRequests = receiptRequests
    }

    /// As it goes to the bus.
    package var message: OutgoingMessage {
        OutgoingMessage(topic: topic, payload: payload, properties: MessageProperties(contentType: MediaType.batch))
    }
}
