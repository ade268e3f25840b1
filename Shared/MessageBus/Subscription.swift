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
