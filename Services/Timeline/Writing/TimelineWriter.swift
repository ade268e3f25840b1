package import MessageBus
package import Observability
import ServiceKit
package import TimelineStore
package import VigilSchema

/// Stores observations and alert transitions, each exactly once. A delivery is acknowledged only after its commit and
/// receipts.
///
/// An unreadable message goes to `rejects/…` and is acknowledged. While the database is away the delivery is retried
/// and nothing more is read, so memory stays bounded through any outage. When the task is cancelled the delivery is
/// returned. Imports have a writer of their own, which gives way to live data.
package struct TimelineWriter<Batches: AsyncSequence & Sendable>: Service where Batches.Element == MessageBatch {
    private let batches: Batches
    private let lane: Lane
    private let throttle: HistoryThrottle
    private let store: any TimelineStore
    private let replies: ReplyPublisher
    private let metrics: TimelineMetrics
    private let health: StoreHealth
    private let log: Logger
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp
    private let decoder = MessageDecoder()
    private let backoff = Backoff(base: .milliseconds(200), maximum: .seconds(5))

    /// - Parameter throttle: shared by the writers of both lanes.
    package init(
        batches: Batches, lane: Lane = .live, throttle: HistoryThrottle = HistoryThrottle(), store: any TimelineStore,
        replies: ReplyPublisher, metrics: TimelineMetrics, health: StoreHealth = StoreHealth(), log: Logger,
        clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Timestamp
    ) {
        self.batches = batches
        self.lane = lane
        self.throttle = throttle
        self.store = store
        self.replies = replies
        self.metrics = metrics
        self.health = health
        self.log = log
        self.clock = clock
        self.now = now
    }

    package func run() async throws {
        for try await delivery in batches {
            do {
                switch lane {
                case .live: try await handleLive(delivery.messages)
                case .history: try await handleHistory(delivery.messages)
                }
                delivery.settle(.committed)
            } catch {
                delivery.settle(.rejected)
                if Task.isCancelled { return }
                if let error = error as? StoreError { throw error }
                log.error("delivery given back", ["messages": "\(delivery.messages.count)", "error": "\(error)"])
            }
        }
    }

    private func handleLive(_ messages: [IncomingMessage]) async throws {
        throttle.liveArrived()
        try await handle(messages)
    }

    private func handleHistory(_ messages: [IncomingMessage]) async throws {
        var rest = messages[...]
        while !rest.isEmpty {
            let start = ContinuousClock.now
            try await handle(throttle.take(from: &rest))
            let pause = throttle.pause(after: start.duration(to: .now))
            if pause > .zero { try await clock.sleep(for: pause) }
        }
    }

    private func handle(_ messages: [IncomingMessage]) async throws {
        let contents = decoder.decode(messages)
        var answers = Answers()
        metrics.malformed.add(contents.malformed.count)
        for message in contents.malformed {
            log.warning("message cannot be read", ["topic": message.message.topic, "error": "\(message.error)"])
            answers.add(message, at: now())
        }
        let counts = try await append(contents.batches.map(\.batch))
        try await append(contents.alerts)
        for (counts, decoded) in zip(counts, contents.batches) {
            tellRefused(counts, of: decoded.batch)
            answers.add(counts, for: decoded, at: now())
        }
        try await replies.publish(answers.finished())
    }

    private func append(_ batches: [ObservationBatch]) async throws -> [AppendCounts] {
        guard !batches.isEmpty else { return [] }
        let total = batches.reduce(0) { $0 + $1.count }
        metrics.received.add(total)
        metrics.inFlight.add(Double(total))
        defer { metrics.inFlight.add(-Double(total)) }
        let start = ContinuousClock.now
        let counts = try await untilStored {
            lane == .live ? try await store.append(batches) : try await store.appendHistory(batches)
        }
        metrics.commit.observe(start.duration(to: .now))
        metrics.batchSize.observe(Double(total))
        count(counts, of: batches)
        return counts
    }

    private func append(_ alerts: [AlertMessage]) async throws {
        guard !alerts.isEmpty else { return }
        let counts = try await untilStored { try await store.append(alerts: alerts) }
        metrics.alerts.add(counts.stored)
        metrics.alertDuplicates.add(counts.duplicates)
        for rejection in counts.rejections where alerts.indices.contains(rejection.group) {
            let alert = alerts[rejection.group]
            log.warning(
                "transition of an alert not kept",
                ["participant": alert.participant, "rule": alert.rule, "reason": rejection.reason])
        }
    }

    /// Returns the store's result, retrying while it is away.
    private func untilStored<Counts>(_ append: () async throws -> Counts) async throws -> Counts {
        var attempt = 0
        var random = SystemRandomNumberGenerator()
        while true {
            do {
                let counts = try await append()
                health.writingFails = false
                if attempt > 0 { log.notice("the store works again", ["attempts": "\(attempt)"]) }
                return counts
            } catch let error as StoreError where error.isRetryable {
                attempt += 1
                health.writingFails = true
                metrics.outages.add()
                log.warning("the store failed; trying again", ["attempt": "\(attempt)", "error": "\(error)"])
                try await clock.sleep(for: backoff.delay(attempt: attempt, using: &random))
            }
        }
    }

    private func count(_ counts: [AppendCounts], of batches: [ObservationBatch]) {
        for counts in counts {
            metrics.stored.add(counts.stored)
            metrics.duplicates.add(counts.duplicates)
            metrics.corrections.add(counts.corrections)
            metrics.rejected.add(counts.rejected)
        }
        let oldest = batches.lazy.flatMap(\.groups).map(\.received).min()
        if let oldest { metrics.lag.set(max(0, now().seconds - oldest.seconds)) }
    }

    private func tellRefused(_ counts: AppendCounts, of batch: ObservationBatch) {
        guard let first = counts.rejections.first, batch.groups.indices.contains(first.group) else { return }
        let group = batch.groups[first.group]
        log.warning(
            "observations not kept",
            ["count": "\(counts.rejected)", "participant": group.participant, "source": group.source, "reason": first.reason])
    }
}

/// The origin of data, which decides the precedence.
package enum Lane: Sendable {
    /// Sensors, and alert transitions.
    case live
    /// Imports.
    case history
}

/// The counters of the timeline, in observations: received = stored + duplicates + corrections + rejected + in flight.
package struct TimelineMetrics: Sendable {
    package let received: Counter
    package let stored: Counter
    package let duplicates: Counter
    package let corrections: Counter
    package let rejected: Counter
    package let malformed: Counter
    package let alerts: Counter
    package let alertDuplicates: Counter
    package let inFlight: Gauge
    package let lag: Gauge
    package let batchSize: Histogram
    package let commit: Histogram
    package let outages: Counter

    package init(_ registry: MetricsRegistry) {
        received = registry.counter("vigil_timeline_observations_received_total", help: "Observations received from the bus.")
        stored = registry.counter("vigil_timeline_observations_stored_total", help: "Observations that were new.")
        duplicates = registry.counter(
            "vigil_timeline_observations_duplicate_total", help: "Observations that were already stored.")
        corrections = registry.counter(
            "vigil_timeline_observations_corrected_total", help: "Observations that replaced an earlier value, which stays stored.")
        rejected = registry.counter("vigil_timeline_observations_rejected_total", help: "Observations that the store refused.")
        malformed = registry.counter("vigil_timeline_messages_malformed_total", help: "Messages that cannot be read.")
        alerts = registry.counter("vigil_timeline_alert_events_stored_total", help: "Transitions of alerts that were new.")
        alertDuplicates = registry.counter(
            "vigil_timeline_alert_events_duplicate_total", help: "Transitions of alerts that were already stored.")
        inFlight = registry.gauge("vigil_timeline_observations_in_flight", help: "Observations received and not yet committed.")
        lag = registry.gauge(
            "vigil_timeline_lag_seconds", help: "Time from the receipt of the oldest observation in the last commit to that commit.")
        batchSize = registry.histogram(
            "vigil_timeline_batch_observations", help: "Observations in one transaction.", buckets: Histogram.sizes)
        commit = registry.histogram("vigil_timeline_commit_seconds", help: "Duration of a transaction.")
        outages = registry.counter("vigil_timeline_store_failures_total", help: "Transactions that failed and were repeated.")
    }
}
