import MessageBus

/// A process's publisher, with the module status as its last will, and its place in the group.
struct ServicePublisher {
    let publisher: Publisher
    let replies: ReplyPublisher
    private let monitor: ConnectionMonitor

    init(
        service: String, instance: String, _ configuration: Configuration, _ logger: Logger, _ metrics: MetricsRegistry,
        _ readiness: Readiness
    ) throws(ConfigurationError) {
        var broker = try BrokerConfiguration(configuration, service: service, part: "publisher")
        broker.lastWill = ModuleStatus.lastWill(service: service, instance: instance)
        let monitor = ConnectionMonitor("publisher", logger, metrics, readiness, isReadyOnceConnected: true)
        publisher = Publisher(configuration: PublisherConfiguration(broker: broker), onEvent: monitor.handle)
        self.monitor = monitor
        replies = ReplyPublisher(publisher, onDrop: monitor.dropped)
        monitor.count(publisher)
        monitor.count(replies)
    }

    /// For the group, before whatever publishes.
    func member(onConnected: @escaping @Sendable () -> Void) -> ServiceGroup.Member {
        monitor.onConnected { _ in onConnected() }
        let publisher = publisher
        let ready = monitor.ready
        return ServiceGroup.Member("publisher", draining: .request { publisher.drain() }, started: { await ready.wait() }) {
            try await publisher.run()
        }
    }
}
