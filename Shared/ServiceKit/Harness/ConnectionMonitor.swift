import Cryptography
import MessageBus
import Observability
import Synchronization

/// Logs and counts what happens to one connection, and keeps the readiness up to date.
final class ConnectionMonitor: Sendable {
    /// Opens once the connection was ready for the first time.
    let ready = Latch()
    private let name: String
    private let logger: Logger
    private let metrics: MetricsRegistry
    private let readiness: Readiness?
    /// The name by which the part is told apart where its work is watched.
    private let part: String
    private let liveness: Liveness?
    private let reconnects: Counter
    /// Sizes and durations of batches, where the connection is a consumer's.
    private let batches: (sizes: Histogram, times: Histogram)?
    private let isReadyOnceConnected: Bool
    private let lastDropped = Mutex<ContinuousClock.Instant?>(nil)
    /// The actions of others at some events. A structure of its own, because a function that is itself the value of a `Mutex` is wrapped in one more
    /// function each time that the lock is taken: a call then goes through all of them, and after some hundred thousand its stack overflows.
    private struct Actions {
        var acknowledged: @Sendable () -> Void = {}
        var connected: @Sendable (ConnectionInfo) -> Void = { _ in }
    }

    private let actions = Mutex(Actions())

    /// The batch of a connection that was lost.
    private struct Orphan {
        /// The service still works on it.
        var isHeld = false
        /// Whether it comes again, as the connection since then says.
        var comesAgain = true
    }

    private let orphan = Mutex(Orphan())

    /// - Parameters:
    ///   - share: the share that the connection is one of, for one that comes and goes: the process is ready without it.
    ///   - isReadyOnceConnected: for a publisher, which has no subscriptions to wait for.
    init(
        _ name: String, _ logger: Logger, _ metrics: MetricsRegistry, _ readiness: Readiness?, liveness: Liveness? = nil,
        share: String? = nil, isReadyOnceConnected: Bool = false
    ) {
        self.name = name
        part = share.map { "\(name)-\($0)" } ?? name
        self.logger = logger.with(["connection": part])
        self.metrics = metrics
        self.readiness = readiness
        self.liveness = liveness
        self.isReadyOnceConnected = isReadyOnceConnected
        reconnects = metrics.counter(
            "vigil_bus_reconnects_total", help: "Attempts to connect to the broker again.", labels: ["connection": name])
        batches =
            isReadyOnceConnected
            ? nil
            : (
                metrics.histogram(
                    "vigil_bus_batch_messages", help: "Messages in one batch.", buckets: Histogram.sizes, labels: ["connection": name]),
                metrics.histogram(
                    "vigil_bus_settle_seconds", help: "Time from handing a batch to the service until its acknowledgement.",
                    labels: ["connection": name])
            )
        readiness?.set(name, false)
    }

    /// The connection will not be made again.
    func closed() { liveness?.finished(part) }

    /// Called from now on with each connection that is made.
    func onConnected(_ action: @escaping @Sendable (ConnectionInfo) -> Void) { actions.withLock { $0.connected = action } }

    /// Called from now on each time that the acknowledgements of a batch have left.
    func onAcknowledged(_ action: @escaping @Sendable () -> Void) { actions.withLock { $0.acknowledged = action } }

    /// Takes an event; called on the connection's thread.
    @Sendable func handle(_ event: BusEvent) {
        switch event {
        case .connected(let info):
            logger.info(
                "connected to the broker", ["mqtt": info.version == .v5 ? "5" : "3.1.1", "session": info.sessionPresent ? "kept" : "new"])
            if isReadyOnceConnected { becomeReady() }
            note(info.certificate)
            forgetWork { $0.comesAgain = info.sessionPresent }
            actions.withLock { $0 }.connected(info)
        case .ready: becomeReady()
        case .subscribed(let filter, _): logger.debug("subscribed", ["filter": filter])
        case .fellBackTo311: logger.warning("the broker refused MQTT 5; using 3.1.1")
        case .subscriptionRefused(let filter, let reason):
            logger.error("subscription refused", ["filter": filter, "reason": ReasonCode.name(reason)])
        case .brokerLacks(let lack): logger.warning("the broker lacks something", ["what": lack.description])
        case .disconnected(let error): lose(error)
        case .reconnecting(let attempt, let delay):
            reconnects.add()
            logger.info("reconnecting", ["attempt": String(attempt), "after": "\(delay)"])
        case .batchTaken: liveness?.began(part)
        case .batchCommitted(let count, let duration):
            liveness?.finished(part)
            batches?.sizes.observe(Double(count))
            batches?.times.observe(duration)
        case .acknowledgementsSent: actions.withLock { $0 }.acknowledged()
        case .batchRejected(let count): logger.warning("batch given back to the broker", ["messages": String(count)])
        case .batchOrphaned(let count):
            logger.warning("connection lost during a batch; it will be delivered again", ["messages": String(count)])
            forgetWork { $0 = Orphan(isHeld: true) }
        case .orphanReleased: forgetWork { $0.isHeld = false }
        }
    }

    /// Notes that there is nothing to finish, where what was taken up has been let go and the broker has no session from which it would come again.
    private func forgetWork(_ change: (inout Orphan) -> Void) {
        let isOver = orphan.withLock { orphan in
            change(&orphan)
            return !orphan.isHeld && !orphan.comesAgain
        }
        if isOver { liveness?.relieved(part) }
    }

    /// Shows the consumer's counters as metrics.
    func count(_ consumer: Consumer) {
        Self.count(name, metrics) { consumer.counters }
        guard let liveness else { return }
        metrics.gauge(
            "vigil_bus_stuck_seconds", help: "Seconds since the oldest unfinished work began.", labels: ["connection": name]
        ) { [name] in liveness.secondsAtWork(name) }
    }

    /// Shows the counters of one consumer, or of several together, as metrics.
    static func count(_ name: String, _ metrics: MetricsRegistry, read: @escaping @Sendable () -> ConsumerCounters) {
        let counters: [(what: String, help: String, of: @Sendable (ConsumerCounters) -> Int)] = [
            ("received", "Messages taken from the broker, repeats counted again.", { $0.received }),
            ("acknowledged", "Messages acknowledged to the broker.", { $0.acknowledged }),
            ("returned", "Messages that the broker sends again.", { $0.returned }),
            ("batches", "Batches handed to the service.", { $0.batches }),
        ]
        for (what, help, value) in counters {
            metrics.counter("vigil_bus_\(what)_total", help: help, labels: ["connection": name]) { value(read()) }
        }
        metrics.gauge("vigil_bus_in_flight", help: "Messages read and not yet settled.", labels: ["connection": name]) {
            Double(read().inFlight)
        }
    }

    /// Shows the publisher's counters as metrics.
    func count(_ publisher: Publisher) {
        count("published", "Messages that the broker acknowledged.") { publisher.counters.delivered }
        count("publish_failures", "Messages that could not be published.") { publisher.counters.failed }
        count("repeated", "Messages sent once more after a reconnection.") { publisher.counters.repeated }
        metrics.gauge("vigil_bus_in_flight", help: "Messages read and not yet settled.", labels: ["connection": name]) {
            Double(publisher.counters.inFlight)
        }
    }

    /// Shows the counters of answers, receipts and rejects as metrics.
    func count(_ replies: ReplyPublisher) {
        count("replies", "Answers, receipts and rejects that the broker took.") { replies.counters.sent }
        count("replies_dropped", "Answers, receipts and rejects given up, because the broker did not take them.") {
            replies.counters.dropped
        }
    }

    /// Logs a reply that was given up, once a minute at most: whoever asks chooses how many there are.
    @Sendable func dropped(_ error: BusError) {
        let isDue = lastDropped.withLock { last in
            if let last, ContinuousClock.now - last < .seconds(60) { return false }
            last = .now
            return true
        }
        if isDue { logger.warning("an answer was dropped; further ones within a minute are only counted", ["error": error.description]) }
    }

    private func count(_ what: String, _ help: String, _ read: @escaping @Sendable () -> Int) {
        metrics.counter("vigil_bus_\(what)_total", help: help, labels: ["connection": name], read: read)
    }

    /// Shows when the broker's certificate ends: from then on nobody connects.
    private func note(_ certificate: [UInt8]) {
        guard let certificate = Certificate(der: certificate) else { return }
        metrics.gauge(
            "vigil_bus_certificate_end_seconds", help: "Expiry of the broker's certificate, in Unix seconds.",
            labels: ["connection": name]
        ).set(Double(certificate.end))
    }

    private func becomeReady() {
        readiness?.set(name, true)
        ready.open()
    }

    private func lose(_ error: BusError) {
        readiness?.set(name, false)
        logger.warning("disconnected from the broker", ["error": error.description])
    }
}
