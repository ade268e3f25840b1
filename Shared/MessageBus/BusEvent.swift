/// The events of a connection, for whoever logs or counts it. The library itself logs nothing.
package enum BusEvent: Sendable, Hashable {
    case connected(ConnectionInfo)
    /// The broker refused MQTT 5; the connection is tried again with 3.1.1.
    case fellBackTo311
    /// The broker granted the subscription, with the quality it chose.
    case subscribed(filter: String, qos: QoS)
    /// Every subscription is granted: from here on nothing published is missed.
    case ready
    case subscriptionRefused(filter: String, reason: UInt8)
    /// The broker visibly lacks what safe operation needs; the text says what and what it leads to.
    case brokerLacks(BrokerWarning)
    case disconnected(BusError)
    case reconnecting(attempt: Int, after: Duration)
    /// A batch was handed over; it stays at work until one of the following.
    case batchTaken(count: Int)
    /// A batch is settled and its messages are acknowledged; so long after it was handed over.
    case batchCommitted(count: Int, after: Duration)
    /// The acknowledgements of the batch that was committed last have left.
    case acknowledgementsSent
    /// The batch was given back, so the connection is dropped for the broker to send it again.
    case batchRejected(count: Int)
    /// The connection broke under a batch at work; its messages come again, whatever becomes of it.
    case batchOrphaned(count: Int)
    /// Such a batch is settled at last: nobody works on it any more. Told once there is a connection again.
    case orphanReleased
}

/// The broker's terms for the connection that it accepted.
package struct ConnectionInfo: Sendable, Hashable {
    package let version: BrokerConfiguration.ProtocolVersion
    /// A Boolean value that indicates whether the broker still had the session.
    package let sessionPresent: Bool
    /// The number of unacknowledged publishes the broker takes at once.
    package let receiveMaximum: UInt16
    /// The largest packet that the broker takes, in bytes; nil without a limit.
    package let maximumPacketSize: UInt32?
    package let maximumQoS: UInt8
    package let retainAvailable: Bool
    /// A Boolean value that indicates whether messages tell for which subscriptions they come (MQTT 5).
    package let subscriptionIdentifiersAvailable: Bool
    /// For how long the broker keeps the session, when it changed what was asked.
    package let sessionExpiry: Duration?
    /// The keep-alive that the broker imposes, when it changed what was asked.
    package let serverKeepAlive: Duration?
    /// The certificate that the broker showed, DER; empty without TLS.
    package let certificate: [UInt8]

    package init(
        version: BrokerConfiguration.ProtocolVersion, sessionPresent: Bool = false, receiveMaximum: UInt16 = .max,
        maximumPacketSize: UInt32? = nil, maximumQoS: UInt8 = 2, retainAvailable: Bool = true,
        subscriptionIdentifiersAvailable: Bool = false, sessionExpiry: Duration? = nil, serverKeepAlive: Duration? = nil,
        certificate: [UInt8] = []
    ) {
        self.version = version
        self.sessionPresent = sessionPresent
        self.receiveMaximum = receiveMaximum
        self.maximumPacketSize = maximumPacketSize
        self.maximumQoS = maximumQoS
        self.retainAvailable = retainAvailable
        self.subscriptionIdentifiersAvailable = subscriptionIdentifiersAvailable
        self.sessionExpiry = sessionExpiry
        self.serverKeepAlive = serverKeepAlive
        self.certificate = certificate
    }
}

/// Something that the shipped broker configuration has and this broker visibly has not.
package enum BrokerWarning: Sendable, Hashable, CustomStringConvertible {
    /// The broker speaks no MQTT 5: no properties, and its own `max_inflight_messages` bounds a batch.
    case protocol311
    /// It keeps nothing for later subscribers: alerts and module states vanish.
    case noRetainedMessages
    /// It cannot repeat until acknowledged: messages are lost.
    case noQoS1
    /// It keeps the session for a shorter time than asked: a longer absence loses messages.
    case shortSessionExpiry(granted: Duration)
    /// It takes few unacknowledged publishes at once: throughput suffers.
    case smallReceiveMaximum(UInt16)
    /// It takes smaller packets than the largest batch of the bus.
    case smallPackets(maximum: UInt32)
    /// A session that had been established is gone: what waited in it is lost, as after a restart without `persistence`.
    case sessionLost

    package var description: String {
        switch self {
        case .protocol311: "the broker speaks MQTT 3.1.1 only: no message properties, and max_inflight_messages bounds a batch"
        case .noRetainedMessages: "the broker retains no messages: alert and module states vanish"
        case .noQoS1: "the broker offers no QoS 1: messages are lost with any connection"
        case .shortSessionExpiry(let granted): "the broker keeps a session for \(granted) only: a longer absence loses messages"
        case .smallReceiveMaximum(let count): "the broker takes \(count) unacknowledged messages at once: set max_inflight_messages higher"
        case .smallPackets(let maximum): "the broker takes packets up to \(maximum) bytes: set max_packet_size to 1 MiB or more"
        case .sessionLost: "the broker has forgotten this client's session and what waited in it: set persistence and autosave_interval"
        }
    }
}
