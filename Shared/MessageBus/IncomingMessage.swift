/// A message as it came from the broker. Topic and payload are a stranger's: nothing about them has been checked but MQTT's own rules.
package struct IncomingMessage: Sendable, Hashable {
    package let topic: String
    package let payload: [UInt8]
    /// A Boolean value that indicates whether the broker had kept it from before the subscription, rather than just received it.
    package let retained: Bool
    package let qos: QoS
    package let properties: MessageProperties
    /// The broker's number of this delivery, 1 to 65,535: the same where the broker delivers it again within the session; 0 at QoS 0.
    package let packetID: UInt16
    /// A Boolean value that indicates whether the broker has sent it before, as it says over MQTT 3.1.1; nil over MQTT 5, where it is not looked at.
    package let isRepeat: Bool?
    /// How many copies of it for other subscriptions may have come before, over a connection that broke behind them; their numbers are those before its
    /// own. Mostly 0.
    package var earlierCopies = 0

    package init(
        topic: String, payload: [UInt8], retained: Bool = false, qos: QoS = .atLeastOnce,
        properties: MessageProperties = MessageProperties(), packetID: UInt16 = 0, isRepeat: Bool? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.retained = retained
        self.qos = qos
        self.properties = properties
        self.packetID = packetID
        self.isRepeat = isRepeat
    }
}

extension IncomingMessage {
    /// The bytes that it holds: topic, payload and properties.
    package var size: Int { topic.utf8.count + payload.count + properties.size }
}

/// The properties that MQTT 5 carries beside the payload. Over MQTT 3.1.1 all of them are absent, and outgoing ones are dropped.
package struct MessageProperties: Sendable, Hashable {
    /// A MIME type such as `application/senml+json`.
    package var contentType: String?
    /// The topic where an answer is expected.
    package var responseTopic: String?
    /// The data that the answer must repeat so that the requester can match it.
    package var correlationData: [UInt8]?
    package var userProperties: [UserProperty]
    /// After how long the broker may drop the message undelivered; whole seconds on the wire, rounded up.
    package var expiry: Duration?

    package init(
        contentType: String? = nil, responseTopic: String? = nil, correlationData: [UInt8]? = nil,
        userProperties: [UserProperty] = [], expiry: Duration? = nil
    ) {
        self.contentType = contentType
        self.responseTopic = responseTopic
        self.correlationData = correlationData
        self.userProperties = userProperties
        self.expiry = expiry
    }

    /// A Boolean value that indicates whether there is nothing to send.
    package var isEmpty: Bool { self == MessageProperties() }
}

/// A name and a value that travel with a message. Names may repeat, and their order is kept.
package struct UserProperty: Sendable, Hashable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

extension MessageProperties {
    /// The bytes that they hold.
    fileprivate var size: Int {
        let strings = (contentType?.utf8.count ?? 0) + (responseTopic?.utf8.count ?? 0)
        return strings + (correlationData?.count ?? 0) + userProperties.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
    }
}
