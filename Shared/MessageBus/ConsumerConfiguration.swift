/// What a consumer subscribes to and how much it takes at once.
package struct ConsumerConfiguration: Sendable, Hashable {
    package var broker: BrokerConfiguration
    package var subscriptions: [Subscription]
    package var limits: BatchLimits
    /// How many unacknowledged messages the broker may send (MQTT 5; over 3.1.1 its own setting counts). Bounds what waits in the socket.
    package var receiveMaximum: UInt16

    package init(
        broker: BrokerConfiguration, subscriptions: [Subscription], limits: BatchLimits = BatchLimits(), receiveMaximum: UInt16 = 4_000
    ) {
        self.broker = broker
        self.subscriptions = subscriptions
        self.limits = limits
        self.receiveMaximum = receiveMaximum
    }
}
