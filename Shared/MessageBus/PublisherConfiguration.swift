/// How a publisher connects and how much it keeps in flight.
package struct PublisherConfiguration: Sendable, Hashable {
    package var broker: BrokerConfiguration
    /// The most messages handed over and not yet acknowledged; further callers of `publish` are suspended. The broker's Receive Maximum lowers it.
    package var maximumInFlight: Int

    package init(broker: BrokerConfiguration, maximumInFlight: Int = 1_000) {
        self.broker = broker
        self.maximumInFlight = maximumInFlight
    }
}
