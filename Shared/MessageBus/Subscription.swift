/// What a consumer wants to receive.
package struct Subscription: Sendable, Hashable {
    /// When the broker sends what it has retained. MQTT 5; over 3.1.1 always `atSubscribe`.
    package enum RetainHandling: UInt8, Sendable, Hashable {
        case atSubscribe = 0
        case atFirstSubscribe = 1
        case never = 2
    }

    /// A topic, with the wildcards `+` and `#` allowed.
    package var filter: String
    package var qos: QoS
    /// Leaves out what this very connection published. MQTT 5.
    package var excludesOwn: Bool
    package var retainHandling: RetainHandling

    package init(_ filter: String, qos: QoS = .atLeastOnce, excludesOwn: Bool = false, retainHandling: RetainHandling = .atSubscribe) {
        self.filter = filter
        self.qos = qos
        self.excludesOwn = excludesOwn
        self.retainHandling = retainHandling
    }
}

extension Subscription {
    /// What a broker's answer to this subscription means.
    /// - Parameter reason: The code of the SUBACK.
    func granted(_ reason: UInt8, version: BrokerConfiguration.ProtocolVersion) throws(BusError) -> BusEvent {
        guard reason >= ReasonCode.firstFailure else { return .subscribed(filter: filter, qos: reason == 0 ? .atMostOnce : .atLeastOnce) }
        // MQTT 3.1.1 has one code for every refusal; a retry does not help against the usual one.
        let code = version == .v311 ? BusError.Code.notAuthorized : ReasonCode.errorCode(reason)
        throw BusError(code, during: .subscribe, reason: reason, detail: "filter \(filter)")
    }
}
