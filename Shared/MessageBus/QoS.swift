/// How surely a message arrives. Level 2 is left out on purpose: its acknowledgement cannot be held back until the work is durable.
package enum QoS: UInt8, Sendable, Hashable, Comparable {
    /// Sent once and forgotten; lost with a connection or a full queue.
    case atMostOnce = 0
    /// Repeated until acknowledged; may arrive twice.
    case atLeastOnce = 1

    package static func < (left: QoS, right: QoS) -> Bool { left.rawValue < right.rawValue }
}
