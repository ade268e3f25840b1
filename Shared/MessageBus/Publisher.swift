/// Publishes over a connection of its own, many messages in flight at once, each awaited by its caller.
///
/// Run `run()` in one task and publish from any others. What was not acknowledged when the connection broke is sent again.
package final class Publisher: MessagePublisher {
    /// - Parameter onEvent: Called on the connection's thread, which waits for it: to be left quickly.
    package init(configuration: PublisherConfiguration, onEvent: @escaping @Sendable (BusEvent) -> Void = { _ in }) {}

    /// What was done so far.
    package var counters: PublisherCounters { PublisherCounters() }

    /// Connects, and stays connected until `drain()`, cancellation, or an error that a retry does not help.
    ///
    /// Cancelling fails every waiting `publish` at once.
    package func run() async throws(BusError) {}

    /// Takes nothing new, waits for what is in flight, disconnects, and `run()` returns. Without a connection, what is in flight fails.
    package func drain() {}

    package func publish(_ message: OutgoingMessage) async throws(BusError) {
        throw BusError(.closed, during: .publish)
    }
}
