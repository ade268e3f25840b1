/// Takes messages for the bus.
package protocol MessagePublisher: Sendable {
    /// Publishes and waits: for the broker's acknowledgement at QoS 1, for the hand-over to the connection at QoS 0.
    ///
    /// Suspends while too much is in flight. After an error at QoS 1 the message may have arrived all the same.
    func publish(_ message: OutgoingMessage) async throws(BusError)
}
