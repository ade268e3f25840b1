/// What MQTT 5 carries beside the payload. Over MQTT 3.1.1 all of it is absent: outgoing properties are left away.
package struct MessageProperties: Sendable, Hashable {
    /// A MIME type such as `application/senml+json`.
    package var contentType: String?
    /// Where an answer is expected.
    package var responseTopic: String?
    /// What the answer must repeat so that the asker can match it.
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

    /// Whether there is nothing to send.
    package var isEmpty: Bool { self == MessageProperties() }
}
