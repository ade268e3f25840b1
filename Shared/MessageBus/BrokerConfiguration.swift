import Glibc

/// The way to reach the broker, and as whom. Shows no password in its description.
package struct BrokerConfiguration: Sendable, Hashable {
    /// The version of MQTT to speak.
    package enum ProtocolVersion: Sendable, Hashable {
        /// MQTT 5, and 3.1.1 with a broker that refuses it, or that hangs up or stays silent when it is greeted so.
        case v5
        /// MQTT 3.1.1 at once.
        case v311
    }

    /// The session state that the broker keeps while this client is away.
    package enum Session: Sendable, Hashable {
        /// Nothing.
        case clean
        /// Subscriptions and unacknowledged messages, for so long (over MQTT 3.1.1: as long as the broker likes).
        case persistent(expiry: Duration)
    }

    /// The broker's host, or those of its nodes, separated by commas, each with a port of its own if need be: `a,b:1884,[::1]:1885`. They are
    /// tried in turn; one that does not answer is passed over.
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
    /// The time reaching the broker and its CONNACK may take; of several nodes each gets its share
    /// to say anything at all, but five seconds.
    package var connectTimeout: Duration
    package var backoff: Backoff
    /// The largest packet that the broker may send, in bytes (MQTT 5); it leaves a larger message out. A packet of nothing but user properties
    /// takes 25 times its size while it is read. Nil: any.
    package var maximumPacket: UInt32?
    /// Whether a connection that was made and lost ends everything, for whoever has to ask somebody before it is made again.
    package var endsWithConnection = false

    package init(
        host: String = "127.0.0.1", port: UInt16 = 1883, clientID: String, username: String? = nil, password: Secret? = nil,
        tls: TLSConfiguration? = nil, protocolVersion: ProtocolVersion = .v5, session: Session = .clean,
        keepAlive: Duration = .seconds(30), lastWill: OutgoingMessage? = nil, connectTimeout: Duration = .seconds(10),
        backoff: Backoff = Backoff(), maximumPacket: UInt32? = nil
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
        self.maximumPacket = maximumPacket
    }
}

extension BrokerConfiguration {
    /// Finds what would fail or mislead later, by name. Throws `invalidConfiguration`.
    func check() throws(BusError) {
        try require(!host.isEmpty && nodes != nil, "host is empty, or no list of hosts such as a,b:1884")
        try require(port > 0, "port must be 1 to 65535")
        try require(
            !clientID.isEmpty && clientID.utf8.count <= 65_535 && !clientID.utf8.contains(0), "client identifier is empty or too long")
        try require(keepAlive >= .seconds(5) && keepAlive <= .seconds(65_535), "keep-alive must be 5 to 65535 seconds")
        try require(connectTimeout > .zero, "connect timeout must be more than 0")
        try require(backoff.base > .zero && backoff.maximum >= backoff.base, "back-off must be more than 0 and at most its maximum")
        try require(password == nil || username != nil, "a password needs a user name")
        try require(username?.utf8.contains(0) != true && password?.exposed.utf8.contains(0) != true, "user name or password with a NUL")
        if let lastWill { try lastWill.check(during: .configure) }
        if let tls { try check(tls) }
    }

    /// The broker's nodes; nil where the host cannot be read.
    var nodes: BrokerNodes? { BrokerAddress.list(host, port: port).map(BrokerNodes.init) }

    private func check(_ tls: TLSConfiguration) throws(BusError) {
        try require((tls.certificate == nil) == (tls.privateKey == nil), "a TLS client certificate and its private key go together")
        for (name, path) in [("authorities", tls.authorities), ("certificate", tls.certificate), ("private key", tls.privateKey)] {
            guard let path else { continue }
            let isReadable = unsafe access(path, R_OK) == 0
            try require(isReadable, "TLS \(name) file cannot be read: \(path)")
        }
    }

    private func require(_ condition: Bool, _ detail: String) throws(BusError) {
        if !condition { throw BusError(.invalidConfiguration, during: .configure, detail: detail) }
    }
}

/// The way the connection is encrypted. The broker's certificate and host name are always verified, with TLS 1.2 or newer;
/// there is no setting that turns this off, and a file that cannot be used is an error.
package struct TLSConfiguration: Sendable, Hashable {
    /// Path of a PEM file of the authorities to trust; without it, the system's.
    package var authorities: String?
    /// Path of the client's PEM certificate chain; needs `privateKey`.
    package var certificate: String?
    /// Path of the client's PEM private key, without a pass phrase; needs `certificate`.
    package var privateKey: String?

    package init(authorities: String? = nil, certificate: String? = nil, privateKey: String? = nil) {
        self.authorities = authorities
        self.certificate = certificate
        self.privateKey = privateKey
    }
}

/// A password that no description, interpolation, dump or log shows.
package struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The secret itself, for the one who must send it.
    package let exposed: String

    package init(_ value: String) {
        exposed = value
    }

    package var description: String { "redacted" }
    package var debugDescription: String { "redacted" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
