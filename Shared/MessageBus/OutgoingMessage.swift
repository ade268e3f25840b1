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

extension OutgoingMessage {
    /// Finds what MQTT cannot carry, before it reaches the connection.
    func check(during operation: BusError.Operation) throws(BusError) {
        guard Self.isTopic(topic) else {
            throw BusError(.invalidTopic, during: operation, detail: "must be 1 to 65535 bytes, without + # or NUL")
        }
        // The longest packet of MQTT has 268,435,455 bytes after its header.
        guard payload.count <= 268_000_000 else { throw BusError(.messageTooLarge, during: operation) }
        guard properties.fit else {
            throw BusError(.invalidTopic, during: operation, detail: "a property is longer than 65535 bytes or has a NUL")
        }
        if let topic = properties.responseTopic, !Self.isTopic(topic) {
            throw BusError(.invalidTopic, during: operation, detail: "response topic")
        }
    }

    private static func isTopic(_ topic: String) -> Bool {
        let bytes = topic.utf8
        return (1...65_535).contains(bytes.count)
            && !bytes.contains { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") || $0 == 0 }
    }
}

extension MessageProperties {
    fileprivate var fit: Bool {
        let strings = [contentType, responseTopic].compactMap(\.self) + userProperties.flatMap { [$0.name, $0.value] }
        return (correlationData?.count ?? 0) <= 65_535 && strings.allSatisfy { $0.utf8.count <= 65_535 && !$0.utf8.contains(0) }
    }
}

/// The quality of service. Level 2 is left out on purpose: its acknowledgement cannot be held back until the work is durable.
package enum QoS: UInt8, Sendable, Hashable, Comparable {
    /// Sent once and forgotten; lost with a connection or a full queue.
    case atMostOnce = 0
    /// Repeated until acknowledged; may arrive twice.
    case atLeastOnce = 1

    package static func < (left: QoS, right: QoS) -> Bool { left.rawValue < right.rawValue }
}
