import Foundation
package import MessageBus
package import Observability
package import Settings

/// The surroundings of a running service: its settings, and the process's logger, metrics, readiness, publisher and exchange list.
package struct ServiceContext: Sendable {
    /// For example `vigil-timeline`.
    package let service: String
    /// Tells apart instances of one service; stays the same over restarts.
    package let instance: String
    package let configuration: Configuration
    package let logger: Logger
    package let metrics: MetricsRegistry
    /// The readiness behind `/readyz`; consumers and the publisher made here keep it up to date by themselves.
    package let readiness: Readiness
    /// The process's publisher. Its member is in the group already, before all others, so it drains last.
    package let publisher: any MessagePublisher
    /// A Boolean value that indicates whether the process gets on with its work, as `/healthz` tells; consumers made here keep it up to date by
    /// themselves.
    package let liveness: Liveness
    /// By which every answer, receipt and reject is published, so that none can fail the work that it belongs to.
    package let replies: ReplyPublisher
    /// The service's parameters on the bus.
    package let exchange: Exchange

    /// A setting's value.
    package subscript<Value>(_ setting: Setting<Value>) -> Value {
        get throws(ConfigurationError) { try configuration[setting] }
    }

    /// The way to reach the broker.
    /// - Parameter part: keeps apart the client identifiers of one process's connections.
    package func broker(part: String) throws(ConfigurationError) -> BrokerConfiguration {
        try BrokerConfiguration(configuration, service: service, part: part)
    }

    /// A consumer with a persistent session whose events are logged, counted and shown by `/readyz`. Its `member` belongs
    /// last into the group.
    /// - Parameters:
    ///   - name: for logs, metrics and the client identifier, for example `observations`.
    ///   - adjust: changes what the defaults do not fit.
    package func consumer(
        _ name: String, _ subscriptions: [Subscription],
        adjust: (inout ConsumerConfiguration) -> Void = { _ in }
    ) throws(ConfigurationError) -> ServiceConsumer {
        var broker = try broker(part: name)
        broker.session = .persistent(expiry: try configuration[CommonSettings.sessionExpiry])
        broker.maximumPacket = ServiceConsumer.maximumPacket
        var consumer = ConsumerConfiguration(broker: broker, subscriptions: subscriptions)
        adjust(&consumer)
        return ServiceConsumer(name, consumer, monitor: ConnectionMonitor(name, logger, metrics, readiness, liveness: liveness)).counted()
    }

    /// The service's state file in the state folder, opened or made, at the last migration.
    package func state(_ migrations: [Migration]) throws -> ServiceState {
        try ServiceState(path: try stateFile("state.sqlite"), migrations: migrations)
    }

    /// The path of a file of this instance in the state folder, for example `.vigil/vigil-ingest-main.outbox`, or of another one.
    package func stateFile(_ name: String, of other: String? = nil) throws(ConfigurationError) -> String {
        "\(try configuration[CommonSettings.stateFolder])/\(service)-\(other ?? instance).\(name)"
    }
}

/// A consumer with its place in the group.
package struct ServiceConsumer: Sendable {
    /// Bytes of the largest packet that a service takes, unless it says otherwise: sixteen times the bus's largest batch.
    package static let maximumPacket: UInt32 = 4 << 20
    /// The consumer itself.
    package let consumer: Consumer
    private let name: String
    private let monitor: ConnectionMonitor

    private let onEnd: @Sendable () -> Void

    /// - Parameter onEnd: called when the member of the group ends.
    init(
        _ name: String, _ configuration: ConsumerConfiguration, monitor: ConnectionMonitor, onEnd: @escaping @Sendable () -> Void = {}
    ) {
        (self.name, self.monitor, self.onEnd) = (name, monitor, onEnd)
        consumer = Consumer(configuration: configuration, onEvent: monitor.handle)
    }

    /// Shows the consumer's counters as metrics.
    func counted() -> ServiceConsumer {
        monitor.count(consumer)
        return self
    }

    /// The received messages, for one task to iterate. Ends when the consumer drains.
    package var batches: MessageBatches { consumer.batches }

    /// Called from now on with each connection that is made, on the connection's thread.
    package func onConnected(_ action: @escaping @Sendable (ConnectionInfo) -> Void) { monitor.onConnected(action) }

    /// Called from now on each time that the acknowledgements of a batch have left, on the connection's thread.
    package func onAcknowledged(_ action: @escaping @Sendable () -> Void) { monitor.onAcknowledged(action) }

    /// For the group: draining takes no more and returns once the batch at work is settled.
    package var member: ServiceGroup.Member {
        ServiceGroup.Member(name, draining: .request { consumer.drain() }, started: { await monitor.ready.wait() }) {
            defer { onEnd() }
            try await consumer.run()
        }
    }
}

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
