/// What a publisher has done so far.
package struct PublisherCounters: Sendable, Hashable {
    /// Calls of `publish` that were accepted for sending.
    package var accepted = 0
    /// AckWatermark by the broker, or at QoS 0 handed to the connection.
    package var delivered = 0
    /// Refused by the broker, given up by the caller, or cut off by the end of the publisher.
    package var failed = 0
    /// Sent once more after a reconnection.
    package var repeated = 0
    /// Connections after the first.
    package var reconnects = 0
    /// Callers that wait for room or for an acknowledgement.
    package var inFlight: Int { accepted - delivered - failed }

    package init() {}
}
