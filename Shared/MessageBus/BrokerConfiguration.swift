/// How to reach the broker, and as whom. Shows no password in its description.
package struct BrokerConfiguration: Sendable, Hashable {
    /// The version of MQTT to speak.
    package enum ProtocolVersion: Sendable, Hashable {
        /// MQTT 5, and 3.1.1 with a broker that refuses it.
        case v5
        /// MQTT 3.1.1 at once.
        case v311
    }

    /// What the broker keeps of this client while it is away.
    package enum Session: Sendable, Hashable {
        /// Nothing.
        case clean
        /// Subscriptions and unacknowledged messages, for so long (over MQTT 3.1.1: as long as the broker likes).
        case persistent(expiry: Duration)
    }

    package var host: String
    package var port: UInt16
    /// Unique at the broker: a second connection with the same one ends the first.
    package var clientID: String
    package var username: String?
    package var password: Secret?
    package var tls: TLSConfiguration?
    package var protocolVersion: ProtocolVersion
    package var session: Session
    /// Silence after which the broker is pinged; after one and a half of it, it drops us. 5 s to 65,535 s.
    package var keepAlive: Duration
    /// Published by the broker when the connection ends without a goodbye.
    package var lastWill: OutgoingMessage?
    /// How long reaching the broker and its CONNACK may take.
    package var connectTimeout: Duration
    package var backoff: Backoff

    package init(
        host: String = "127.0.0.1", port: UInt16 = 1883, clientID: String, username: String? = nil, password: Secret? = nil,
        tls: TLSConfiguration? = nil, protocolVersion: ProtocolVersion = .v5, session: Session = .clean,
        keepAlive: Duration = .seconds(30), lastWill: OutgoingMessage? = nil, connectTimeout: Duration = .seconds(10),
        backoff: Backoff = Backoff()
    ) {
        self.host = host
        self.port = port
        self.clientID = clientID
        self.username = username
        self.password = password
        self.tls = tls
        self.protocolVersion = protocolVersion
        self.session = session
        self.keepAlive = keepAlive
        self.lastWill = lastWill
        self.connectTimeout = connectTimeout
        self.backoff = backoff
    }
}
