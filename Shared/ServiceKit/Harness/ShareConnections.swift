package import MessageBus
import Observability
package import Settings
package import Shares
import Synchronization

/// The settings of a deployment in which replicas of a service share its work.
package enum ShareSettings {
    /// The number of shares. Who publishes only looks at whether it is more than one.
    package static let shares = Setting(
        "shares",
        ValueFormat(
            accepts: "1, 4, 16 or 64", placeholder: "N", read: { Int($0).flatMap { Share.counts.contains($0) ? $0 : nil } },
            write: { String($0) }), default: 1,
        help: """
            The number of shares into which the participants are divided: 1, 4, 16 or 64, the same at every \
            service of a deployment. Above 1 the topics of observations name the share, and replicas, each with \
            its own --instance, divide the work of a service that supports them; 16 suffices for eight replicas. \
            With 1, one process of each service does everything.
            """)
}

/// The connections of one kind that a replica has for its shares, such as those for observations, all counted together.
///
/// The client identifier is the service's, the share's and the kind's, whoever owns the share: with it goes what waits at the broker. Who connects
/// with it ends the connection of who had the share before. A connection that is lost is not made again before the lease was looked at.
package final class ShareConnections: Sendable {
    private struct State {
        /// The counters of connections that have ended.
        var past = ConsumerCounters()
        var present: [String: Consumer] = [:]
    }

    private let name: String
    private let context: ServiceContext
    private let state = Mutex(State())

    /// - Parameter name: for logs, metrics and client identifiers, for example `observations`.
    package init(_ name: String, _ context: ServiceContext) {
        (self.name, self.context) = (name, context)
        ConnectionMonitor.count(name, context.metrics) { [state = WeakState(self)] in state.counters }
    }

    /// A consumer for a share, with a persistent session unless it is changed. Its `member` belongs last into the share's group.
    package func consumer(
        _ share: Share, _ subscriptions: [Subscription], adjust: (inout ConsumerConfiguration) -> Void = { _ in }
    ) throws(ConfigurationError) -> ServiceConsumer {
        var broker = try context.broker(part: name)
        broker.clientID = "\(context.service)-\(share)-\(name)"
        broker.session = .persistent(expiry: try context[CommonSettings.sessionExpiry])
        broker.maximumPacket = ServiceConsumer.maximumPacket
        broker.endsWithConnection = true
        var configuration = ConsumerConfiguration(broker: broker, subscriptions: subscriptions)
        // Of a cluster whoever has the share next would get it after `ack_wait` only.
        configuration.finishing = .milliseconds(500)
        adjust(&configuration)
        let monitor = ConnectionMonitor(
            name, context.logger, context.metrics, nil, liveness: context.liveness, share: "\(share)")
        let key = configuration.broker.clientID
        let made = ServiceConsumer(name, configuration, monitor: monitor) { [self] in
            monitor.closed()
            ended(key)
        }
        state.withLock { $0.present[key] = made.consumer }
        return made
    }

    /// A publisher for a share, for whose connection the same holds: who had the share before publishes nothing more once it is made. Its member belongs
    /// before whatever publishes.
    /// - Parameter name: for logs, metrics and the client identifier, for example `alerts`.
    package func publisher(_ share: Share, _ name: String) throws(ConfigurationError) -> (publisher: Publisher, member: ServiceGroup.Member)
    {
        var broker = try context.broker(part: name)
        broker.clientID = "\(context.service)-\(share)-\(name)"
        broker.endsWithConnection = true
        let monitor = ConnectionMonitor(name, context.logger, context.metrics, nil, share: "\(share)", isReadyOnceConnected: true)
        let publisher = Publisher(configuration: PublisherConfiguration(broker: broker), onEvent: monitor.handle)
        let member = ServiceGroup.Member(
            "\(name) publisher", draining: .request { publisher.drain() }, started: { await monitor.ready.wait() }
        ) { try await publisher.run() }
        return (publisher, member)
    }

    private func ended(_ key: String) {
        state.withLock { state in
            if let consumer = state.present.removeValue(forKey: key) { state.past += consumer.counters }
        }
    }

    fileprivate var counters: ConsumerCounters {
        state.withLock { state in state.present.values.reduce(into: state.past) { $0 += $1.counters } }
    }
}

/// A reference that the metrics may keep.
private final class WeakState: Sendable {
    private weak let connections: ShareConnections?

    init(_ connections: ShareConnections) { self.connections = connections }

    var counters: ConsumerCounters { connections?.counters ?? ConsumerCounters() }
}
