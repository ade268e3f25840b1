package import MessageBus
package import VigilSchema

/// A publisher's wish to be told what became of a message, and what is known of it so far.
package struct ReceiptRequest: Sendable, Hashable {
    /// Where the receipt goes.
    package let topic: String
    /// What it repeats, so that the publisher can match it.
    package let correlation: [UInt8]?
    /// Readings that are on their way to the store.
    package var accepted = 0
    /// Readings that were refused; a message refused as a whole counts as one.
    package var refused = 0
    /// Why, for the first of those.
    package var reason: String?

    /// Nil where the message asks for nothing: it has neither a response topic nor correlation data.
    ///
    /// The receipt goes to the response topic, else to `receipts/<participant>/<device>`. A response topic that is another of the suite's
    /// own topics is not taken: a device could have the suite publish readings, commands or settings in its place.
    package init?(_ message: IncomingMessage, from address: DeviceAddress) {
        let properties = message.properties
        guard properties.responseTopic != nil || properties.correlationData != nil else { return nil }
        let own = Topic.receipt(participant: address.participant, device: address.device).path
        topic = properties.responseTopic.flatMap { ReceiptRequest.isAllowed($0) ? $0 : nil } ?? own
        correlation = properties.correlationData
    }

    init(topic: String, correlation: [UInt8]?, accepted: Int, refused: Int, reason: String?) {
        self.topic = topic
        self.correlation = correlation
        self.accepted = accepted
        self.refused = refused
        self.reason = reason
    }

    /// The receipt, once what was accepted is stored.
    /// - Parameter failure: why the store did not keep all of it.
    package func receipt(failure: String? = nil) -> Receipt {
        let isStored = failure == nil && (accepted > 0 || refused == 0)
        return Receipt(
            outcome: isStored ? .stored : .rejected, stored: isStored ? accepted : 0, rejected: isStored ? refused : accepted + refused,
            reasons: [failure ?? reason].compactMap { $0 })
    }

    /// The receipt as a message.
    func message(failure: String? = nil) throws -> OutgoingMessage {
        OutgoingMessage(
            topic: topic, payload: try receipt(failure: failure).encoded(),
            properties: MessageProperties(contentType: MediaType.json, correlationData: correlation))
    }

    private static func isAllowed(_ topic: String) -> Bool {
        guard !topic.isEmpty, !topic.contains("+"), !topic.contains("#"), !topic.hasPrefix("$") else { return false }
        guard let known = try? Topic(parsing: topic) else { return true }
        if case .receipt = known { return true }
        return false
    }
}
