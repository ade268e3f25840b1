/// How a publisher connects and how much it keeps in flight.
package struct PublisherConfiguration: Sendable, Hashable {
    package var broker: BrokerConfiguration
    /// The most messages handed over and not yet acknowledged; further callers of `publish` are suspended. The broker's Receive Maximum lowers it.
    package var maximumInFlight: Int

    /// Messages to receive over this connection too, such as answers. They are acknowledged once they are read, so nothing may depend on
    /// what becomes of them: what must be processed before it is acknowledged is for a `Consumer`, which has its own connection.
    package var answers: Subscription?

    package init(broker: BrokerConfiguration, maximumInFlight: Int = 1_000, answers: Subscription? = nil) {
        self.broker = broker
        self.maximumInFlight = maximumInFlight
        self.answers = answers
    }
}
