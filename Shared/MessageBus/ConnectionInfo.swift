/// What the broker said when it accepted the connection.
package struct ConnectionInfo: Sendable, Hashable {
    package let version: BrokerConfiguration.ProtocolVersion
    /// Whether the broker still had the session.
    package let sessionPresent: Bool
    /// How many unacknowledged publishes the broker takes at once.
    package let receiveMaximum: UInt16
    /// The largest packet that the broker takes, in bytes; nil without a limit.
    package let maximumPacketSize: UInt32?
    package let maximumQoS: UInt8
    package let retainAvailable: Bool
    /// For how long the broker keeps the session, when it changed what was asked.
    package let sessionExpiry: Duration?
    /// The keep-alive that the broker imposes, when it changed what was asked.
    package let serverKeepAlive: Duration?

    package init(
        version: BrokerConfiguration.ProtocolVersion, sessionPresent: Bool = false, receiveMaximum: UInt16 = .max,
        maximumPacketSize: UInt32? = nil, maximumQoS: UInt8 = 2, retainAvailable: Bool = true, sessionExpiry: Duration? = nil,
        serverKeepAlive: Duration? = nil
    ) {
        self.version = version
        self.sessionPresent = sessionPresent
        self.receiveMaximum = receiveMaximum
        self.maximumPacketSize = maximumPacketSize
        self.maximumQoS = maximumQoS
        self.retainAvailable = retainAvailable
        self.sessionExpiry = sessionExpiry
        self.serverKeepAlive = serverKeepAlive
    }
}
