package import MessageBus

/// A consumer with its place in the group.
package struct ServiceConsumer: Sendable {
    /// The consumer itself.
    package let consumer: Consumer
    private let name: String
    private let monitor: ConnectionMonitor

    init(_ name: String, _ configuration: ConsumerConfiguration, monitor: ConnectionMonitor) {
        self.name = name
        self.monitor = monitor
        consumer = Consumer(configuration: configuration, onEvent: monitor.handle)
        monitor.count(consumer)
    }

    /// What was received, for one task to iterate. Ends when the consumer drains.
    package var batches: MessageBatches { consumer.batches }

    /// Called from now on with each connection that is made, on the connection's thread.
    package func onConnected(_ action: @escaping @Sendable (ConnectionInfo) -> Void) { monitor.onConnected(action) }

    /// For the group: draining takes no more and returns once the batch at work is settled.
    package var member: ServiceGroup.Member {
        ServiceGroup.Member(name, draining: .request { consumer.drain() }, started: { await monitor.ready.wait() }) {
            try await consumer.run()
        }
    }
}
