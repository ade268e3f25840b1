package import MessageBus
package import Observability

/// The settings that most commands share, with one meaning everywhere.
package enum CommonSettings {
    // Logging
    package static let logLevel = Setting(
        "log-level", ValueFormat<LogLevel>.choice, default: .info, help: "The lowest level that is logged.")
    package static let logFormat = Setting(
        "log-format", ValueFormat<LogFormat>.choice, default: .text, help: "Log lines for people or, as JSON, for collectors.")
    package static let logging: [any AnySetting] = [logLevel, logFormat]

    // Broker
    package static let brokerHost = Setting(
        "broker-host", .text, default: "127.0.0.1",
        help: "The MQTT broker's host name or address, or those of its nodes (a,b:1884,c), which are tried in turn.")
    package static let brokerPort = Setting(
        "broker-port", .integer(in: 1...65535), default: 1883, help: "The MQTT broker's port; 8883 is usual with TLS.")
    package static let brokerUser = Setting.optional("broker-user", .text, help: "The account at the broker.")
    package static let brokerPassword = Setting.secret("broker-password", help: "The account's password.")
    package static let brokerProtocol = Setting(
        "broker-protocol", ValueFormat<MQTTVersion>.choice, default: .v5, help: "MQTT 5 with fallback to 3.1.1, or 3.1.1 only.")
    package static let tls = Setting("broker-tls", .boolean, default: false, help: "Use TLS, verified with the system's authorities.")
    package static let tlsAuthorities = Setting.optional(
        "broker-ca-file", .path, help: "PEM file of the authorities to trust instead of the system's; means TLS.")
    package static let tlsCertificate = Setting.optional(
        "broker-certificate-file", .path, help: "PEM file of the client certificate; means TLS.")
    package static let tlsKey = Setting.optional("broker-key-file", .path, help: "PEM file of the client certificate's key.")
    package static let clientID = Setting.optional(
        "client-id", .name, help: "The client identifier at the broker; by default the service's name and instance.")
    package static let broker: [any AnySetting] = [
        brokerHost, brokerPort, brokerUser, brokerPassword, brokerProtocol, tls, tlsAuthorities, tlsCertificate, tlsKey, clientID,
    ]

    // Service
    package static let instance = Setting(
        "instance", .name, default: "main",
        help:
            "The name of this instance among several of a service. It must stay the same over restarts, because the broker's session depends on it."
    )
    package static let httpPort = Setting(
        "http-port", .port, default: 0, help: "The port of /healthz, /readyz and /metrics; 0 for none.")
    package static let httpHost = Setting("http-host", .text, default: "127.0.0.1", help: "The address of the HTTP port.")
    package static let drainDeadline = Setting(
        "drain-deadline", .duration(in: .zero ... .seconds(3600)), default: .seconds(20),
        help: "How long a stopping service may take to finish its work.")
    package static let supervised = Setting(
        "supervised", .boolean, default: false,
        help: "Stop when standard input ends, so that no service outlives the `vigil up` that started it.")
    package static let sessionExpiry = Setting(
        "session-expiry", .duration(in: .seconds(60) ... .seconds(365 * 86_400)), default: .seconds(7 * 86_400),
        help: "How long the broker keeps messages for an absent service.")
    package static let service: [any AnySetting] = [instance, httpHost, httpPort, drainDeadline, sessionExpiry, supervised]

    // State
    package static let stateFolder = Setting(
        "state-folder", .path, default: ".vigil", help: "The folder of the service's state; created if missing.")
    package static let state: [any AnySetting] = [stateFolder]

    // Timeline store
    package static let store = Setting(
        "store", .text, default: "sqlite:.vigil/timeline.sqlite",
        help: "The timeline's database: sqlite:PATH, or a PostgreSQL URI such as postgresql://user@host/database without a password.")
    package static let storePassword = Setting.secret("store-password", help: "The database account's password.")
    package static let database: [any AnySetting] = [store, storePassword]
}

/// The MQTT versions to choose from.
package enum MQTTVersion: String, Sendable, CaseIterable {
    case v5 = "5"
    case v311 = "3.1.1"
}

extension BrokerConfiguration {
    /// The way to reach the broker as the common settings say.
    /// - Parameter clientID: used where the `client-id` setting is not given.
    package init(_ configuration: Configuration, clientID: String) throws(ConfigurationError) {
        typealias Common = CommonSettings
        self.init(
            host: try configuration[Common.brokerHost], port: UInt16(clamping: try configuration[Common.brokerPort]),
            clientID: try configuration[Common.clientID] ?? clientID, username: try configuration[Common.brokerUser],
            password: try configuration[Common.brokerPassword], tls: try TLSConfiguration(configuration),
            protocolVersion: try configuration[Common.brokerProtocol] == .v5 ? .v5 : .v311)
        // Of a cluster's node that hangs there is another to turn to, so that it is missed sooner.
        if host.contains(",") { keepAlive = .seconds(8) }
    }
}

extension BrokerConfiguration {
    /// The way one connection of a service's process reaches the broker: its client identifier is the `client-id` setting, or the
    /// service's name and instance, and the part.
    package init(_ configuration: Configuration, service: String, part: String) throws(ConfigurationError) {
        let instance = try configuration[CommonSettings.instance]
        let base = try configuration[CommonSettings.clientID] ?? "\(service)-\(instance)"
        try self.init(configuration, clientID: base)
        clientID = "\(base)-\(part)"
    }
}

extension TLSConfiguration {
    /// TLS where the settings ask for it or name one of its files.
    fileprivate init?(_ configuration: Configuration) throws(ConfigurationError) {
        typealias Common = CommonSettings
        let authorities = try configuration[Common.tlsAuthorities]
        let certificate = try configuration[Common.tlsCertificate]
        let key = try configuration[Common.tlsKey]
        guard try configuration[Common.tls] || authorities != nil || certificate != nil || key != nil else { return nil }
        self.init(authorities: authorities, certificate: certificate, privateKey: key)
    }
}

extension BusError: ExitCoded {
    /// 78 where a setting is to blame, 69 where the broker cannot be reached.
    package var exitCode: ExitCode {
        switch code {
        case .invalidConfiguration, .tlsFailed, .badCredentials, .notAuthorized, .invalidTopic: .configuration
        case .unreachable, .tlsCutOff, .connectionLost, .timedOut, .refused, .quotaExceeded: .unavailable
        case .protocolViolation, .messageTooLarge, .cancelled, .closed, .internalFailure: .failure
        }
    }
}
