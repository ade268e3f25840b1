import Synchronization

/// Receives from the broker in batches, and acknowledges nothing before its batch is settled.
///
/// Run `run()` in one task, once, and iterate `batches` in another. One thread of its own owns the connection; every member may be
/// called from anywhere. At QoS 1 each message arrives at least once, in the broker's order between two connections.
package struct Consumer: Sendable {
    private let configuration: ConsumerConfiguration
    private let gate = BatchGate()
    private let subscriptions: SubscriptionList
    private let counting = ConsumerCounting()
    private let onEvent: @Sendable (BusEvent) -> Void

    /// - Parameter onEvent: Called on the connection's thread, which waits for it: to be left quickly.
    package init(configuration: ConsumerConfiguration, onEvent: @escaping @Sendable (BusEvent) -> Void = { _ in }) {
        self.configuration = configuration
        subscriptions = SubscriptionList(configuration)
        self.onEvent = onEvent
    }

    /// Replaces what is subscribed to beside the configuration's own filters: at once where it is connected, else with the next connection. What
    /// the broker refuses of these is told as an event, and the others stand.
    package func subscribe(alsoTo others: [Subscription]) {
        subscriptions.replace(others: others)
        gate.wakeUp.signal()
    }

    /// The received messages, for one task to iterate.
    package var batches: MessageBatches { MessageBatches(gate: gate) }

    /// The work done so far.
    package var counters: ConsumerCounters { counting.value }

    /// Connects, and stays connected until `drain()`, cancellation, or an error that a retry does not help.
    ///
    /// Cancelling gives the batch at work back: its messages come again.
    package func run() async throws(BusError) {
        let failure = await withTaskCancellationHandler {
            await onDedicatedThread(named: "mqtt-consumer") { pump() }
        } onCancel: {
            gate.cancel()
        }
        guard let failure else { throw BusError(.internalFailure, during: .connect, detail: "no thread to be had") }
        if case .failure(let error) = failure { throw error }
    }

    /// Takes no more than `ConsumerConfiguration.finishing` allows; once that is settled and acknowledged, disconnects, and `run()` returns. Before
    /// `run()` it ends the batches at once.
    package func drain() {
        if configuration.finishing > .zero { gate.finishTaking() } else { gate.drain() }
    }

    private func pump() -> Result<Void, BusError> {
        gate.begin()
        do throws(BusError) {
            try configuration.check()
            try ConsumerPump(configuration, subscriptions, gate: gate, counters: counting, onEvent: onEvent).run()
            gate.finish(nil)
            return .success(())
        } catch {
            gate.finish(error)
            return .failure(error)
        }
    }
}

/// The subscriptions of a consumer, and the limits of what it takes at once.
package struct ConsumerConfiguration: Sendable, Hashable {
    package var broker: BrokerConfiguration
    package var subscriptions: [Subscription]
    /// Filters that an earlier version subscribed to and a persistent session may still have. They are given up at each connection, after the
    /// subscriptions are asked for, so that nothing is missed in between.
    package var formerFilters: [String] = []
    package var limits: BatchLimits
    /// The number of unacknowledged messages the broker may send (MQTT 5; over 3.1.1 its own setting counts). Bounds what waits in the socket.
    package var receiveMaximum: UInt16
    /// The longest time for which a consumer that drains still takes what the broker has sent to it. Zero: it takes nothing more. For a broker that
    /// sends what was not acknowledged again only after a while, not to whoever has the session next.
    package var finishing = Duration.zero

    package init(
        broker: BrokerConfiguration, subscriptions: [Subscription], limits: BatchLimits = BatchLimits(), receiveMaximum: UInt16 = 4_000
    ) {
        self.broker = broker
        self.subscriptions = subscriptions
        self.limits = limits
        self.receiveMaximum = receiveMaximum
    }
}

extension ConsumerConfiguration {
    /// Finds what would fail or mislead later, by name. Throws `invalidConfiguration`.
    func check() throws(BusError) {
        try broker.check()
        guard limits.count > 0, limits.bytes > 0, receiveMaximum > 0 else {
            throw BusError(.invalidConfiguration, during: .configure, detail: "a consumer's limits must be more than 0")
        }
        for filter in subscriptions.map(\.filter) + formerFilters where filter.isEmpty || filter.utf8.contains(0) {
            throw BusError(.invalidConfiguration, during: .configure, detail: "a subscription's filter is empty or has a NUL")
        }
    }
}

/// The limits at which a batch is closed, besides having nothing more to read.
package struct BatchLimits: Sendable, Hashable {
    /// The most messages in a batch.
    package var count: Int
    /// Closed once its topics, payloads and properties reach so many bytes.
    package var bytes: Int
    /// The time a batch may wait for more once it holds `loaded` messages: so many at once mean load, and then few large batches take
    /// much less time than many small ones. Zero: never. A batch of fewer waits for nothing.
    package var gather: Duration
    /// See `gather`.
    package var loaded: Int

    package init(count: Int = 2_000, bytes: Int = 4 << 20, gather: Duration = .zero, loaded: Int = 64) {
        self.count = count
        self.bytes = bytes
        self.gather = gather
        self.loaded = loaded
    }
}

/// A topic filter that a consumer subscribes to.
package struct Subscription: Sendable, Hashable {
    /// The occasions on which the broker sends what it has retained. MQTT 5; over 3.1.1 always `atSubscribe`.
    package enum RetainHandling: UInt8, Sendable, Hashable {
        case atSubscribe = 0
        case atFirstSubscribe = 1
        case never = 2
    }

    /// A topic, with the wildcards `+` and `#` allowed.
    package var filter: String
    /// Over MQTT 3.1.1 a clean session asks for `atMostOnce` whatever this is.
    package var qos: QoS
    /// Leaves out what this very connection published. MQTT 5.
    package var excludesOwn: Bool
    package var retainHandling: RetainHandling

    package init(_ filter: String, qos: QoS = .atLeastOnce, excludesOwn: Bool = false, retainHandling: RetainHandling = .atSubscribe) {
        self.filter = filter
        self.qos = qos
        self.excludesOwn = excludesOwn
        self.retainHandling = retainHandling
    }
}

extension Subscription {
    /// The error that a broker's answer to this subscription amounts to; nil for none.
    /// - Parameter reason: The code of the SUBACK.
    func granted(_ reason: UInt8, version: BrokerConfiguration.ProtocolVersion) throws(BusError) -> BusEvent {
        guard reason >= ReasonCode.firstFailure else { return .subscribed(filter: filter, qos: reason == 0 ? .atMostOnce : .atLeastOnce) }
        // MQTT 3.1.1 has one code for every refusal, and a cluster that has no leader yet gives it too: only to try again tells them apart.
        let (code, doubt) = version == .v311 ? (BusError.Code.refused, ": not allowed, or not now") : (ReasonCode.errorCode(reason), "")
        throw BusError(code, during: .subscribe, reason: reason, detail: "filter \(filter)\(doubt)")
    }
}

/// The counters of a consumer. `received` = `acknowledged` + `returned` + `inFlight`.
package struct ConsumerCounters: Sendable, Hashable {
    /// Messages taken from the broker, repeats counted again.
    package var received = 0
    /// Messages handed over in batches.
    package var delivered = 0
    /// Messages whose acknowledgement was released to the connection.
    package var acknowledged = 0
    /// Messages that come again: rejected, or read over a connection that broke before they were settled.
    package var returned = 0
    /// Batches given back by `settle(.rejected)`.
    package var rejectedBatches = 0
    package var batches = 0
    /// Connections after the first.
    package var reconnects = 0
    /// Messages read and not yet settled.
    package var inFlight: Int { received - acknowledged - returned }

    package init() {}

    /// Adds the counters of another consumer.
    package static func += (sum: inout ConsumerCounters, other: ConsumerCounters) {
        sum.received += other.received
        sum.delivered += other.delivered
        sum.acknowledged += other.acknowledged
        sum.returned += other.returned
        sum.rejectedBatches += other.rejectedBatches
        sum.batches += other.batches
        sum.reconnects += other.reconnects
    }
}

/// The consumer's counters, written by its thread and read by anyone.
final class ConsumerCounting: Sendable {
    private let counters = Mutex(ConsumerCounters())

    var value: ConsumerCounters { counters.withLock { $0 } }

    func update(_ change: (inout ConsumerCounters) -> Void) {
        counters.withLock { change(&$0) }
    }
}
