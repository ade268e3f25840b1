package import MessageBus

extension BrokerConfiguration {
    /// How to reach the broker as the common settings say.
    /// - Parameter clientID: used where the `client-id` setting is not given.
    package init(_ configuration: Configuration, clientID: String) throws(ConfigurationError) {
        typealias Common = CommonSettings
        self.init(
            host: try configuration[Common.brokerHost], port: UInt16(clamping: try configuration[Common.brokerPort]),
            clientID: try configuration[Common.clientID] ?? clientID, username: try configuration[Common.brokerUser],
            password: try configuration[Common.brokerPassword], tls: try TLSConfiguration(configuration),
            protocolVersion: try configuration[Common.brokerProtocol] == .v5 ? .v5 : .v311)
    }
}

extension BrokerConfiguration {
    /// How one connection of a service's process reaches the broker: its client identifier is the `client-id` setting, or the
    /// service's name and instance, and the part.
    init(_ configuration: Configuration, service: String, part: String) throws(ConfigurationError) {
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
