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
