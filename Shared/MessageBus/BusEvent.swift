/// What happens to a connection, for whoever logs or counts it. The library itself logs nothing.
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
    /// The batch was given back, so the connection is dropped for the broker to send it again.
    case batchRejected(count: Int)
    /// The connection broke under a batch at work; its messages come again, whatever becomes of it.
    case batchOrphaned(count: Int)
}
