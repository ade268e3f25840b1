package import Observability
import ServiceKit
package import TimelineStore
package import VigilSchema

/// Applies the retention rules regularly, in small steps between which observations are stored, seals days, and indexes
/// new months and packs old ones. Nothing is removed or sealed before the clock is trusted, and nothing is packed after a leap
/// (`RetentionClock`).
package struct RetentionService: Service {
    private let store: any TimelineStore
    private let interval: Duration
    private let sealAfter: Duration?
    private let metrics: RetentionMetrics
    private let log: Logger
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - interval: from the end of one run to the next; the first run comes after a minute at most.
    ///   - sealAfter: how long a day has been over when it is sealed; nil: none is.
    package init(
        store: any TimelineStore, interval: Duration, sealAfter: Duration? = nil, metrics: RetentionMetrics, log: Logger,
        clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.interval = interval
        self.sealAfter = sealAfter
        self.metrics = metrics
        self.log = log
        self.clock = clock
        self.now = now
    }

    package func run() async throws {
        var wait = min(interval, .seconds(60))
        var ran = Duration.zero
        var seals = false
        repeat {
            // Cancelled: a run may stop anywhere, and the next one continues.
            do { try await sleep(for: wait, sealing: seals) } catch { return }
            ran += wait
            await index()
            let verdict = await judgeClock(&ran)
            if verdict == .believed { await apply() }
            // Sealing removes nothing: a clock that nobody knows yet will do, so that a first import is packed at once.
            seals = if case .doubted = verdict { false } else { verdict != nil }
            if seals { await seal() }
            if sealAfter != nil { await shrink() }
            // With a wrong clock a month could be packed before its end, so nothing is packed after a leap.
            if case .doubted = verdict { wait = interval } else { wait = await pack() ? interval : min(interval, .seconds(600)) }
        } while true
    }

    /// Waits, and seals every minute meanwhile: an import of years is packed as soon as it ends.
    private func sleep(for wait: Duration, sealing: Bool) async throws {
        var rest = wait
        while sealing, sealAfter != nil, rest > .seconds(60) {
            try await clock.sleep(for: .seconds(60))
            rest -= .seconds(60)
            await seal()
        }
        try await clock.sleep(for: rest)
    }

    /// Decides whether the clock can be trusted, and logs a doubt; nil: unknown.
    /// - Parameter ran: The running time since the last call; reset by an answer.
    private func judgeClock(_ ran: inout Duration) async -> RetentionClock.Verdict? {
        do {
            let verdict = try await store.judgeClock(now(), ran: ran)
            ran = .zero
            guard case .doubted(let left) = verdict else {
                metrics.doubtsClock.set(0)
                return verdict
            }
            metrics.doubtsClock.set(1)
            log.warning(
                "the clock has leapt since the last retention run: nothing is removed until it has stayed so",
                ["clock": now().iso8601(), "hours": "\((left + 3_599_999_999) / 3_600_000_000)"])
            return verdict
        } catch {
            metrics.failures.add()
            log.warning("retention run failed; the next run continues", ["error": "\(error)"])
            return nil
        }
    }

    private func index() async {
        do {
            let months = try await store.indexMonths()
            if !months.isEmpty { log.notice("months indexed", ["partitions": months.joined(separator: " ")]) }
        } catch {
            log.warning("a month could not be indexed; the next run tries again", ["error": "\(error)"])
        }
    }

    /// Packs the months that are over, and returns whether that is finished.
    private func pack() async -> Bool {
        do {
            let report = try await store.packMonths(now: now())
            if !report.rows.isEmpty {
                let rows = report.rows.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
                log.notice(report.isComplete ? "months packed" : "months packed in part; the next run goes on", ["rows": rows])
            }
            return report.isComplete
        } catch {
            log.warning("months could not be packed; the next run goes on", ["error": "\(error)"])
            return true
        }
    }

    private func seal() async {
        guard let sealAfter else { return }
        do {
            let isPaused = try await store.isSealingPaused()
            metrics.sealingPaused.set(isPaused ? 1 : 0)
            guard !isPaused else { return }
            let report = try await store.sealDays(before: now().advanced(bySeconds: -(sealAfter / .seconds(1))))
            metrics.sealed.add(report.readings)
            metrics.sealedBytes.add(report.bytes)
            guard report.readings > 0 else { return }
            log.notice("days sealed", ["readings": "\(report.readings)", "blocks": "\(report.blocks)", "bytes": "\(report.bytes)"])
        } catch {
            log.warning("days could not be sealed; the next run goes on", ["error": "\(error)"])
        }
    }

    private func shrink() async {
        do {
            let months = try await store.shrinkMonths()
            if !months.isEmpty { log.notice("months shrunk", ["partitions": months.joined(separator: " ")]) }
        } catch {
            log.warning("months could not be shrunk; the next run tries again", ["error": "\(error)"])
        }
    }

    private func apply() async {
        do {
            let report = try await store.applyRetention(now: now())
            let rows = report.rows.values.reduce(0, +)
            metrics.rows.add(rows)
            metrics.partitions.add(report.partitions.count)
            metrics.lastRun.set(now().seconds)
            guard rows > 0 || !report.partitions.isEmpty else { return }
            log.notice("retention applied", ["rows": "\(rows)", "partitions": report.partitions.joined(separator: " ")])
        } catch {
            metrics.failures.add()
            log.warning("retention run failed; the next run continues", ["error": "\(error)"])
        }
    }
}

/// The number of rows that retention has removed since the start.
package struct RetentionMetrics: Sendable {
    package let rows: Counter
    package let partitions: Counter
    package let failures: Counter
    package let lastRun: Gauge
    package let sealed: Counter
    package let sealedBytes: Counter
    package let sealingPaused: Gauge
    package let doubtsClock: Gauge

    package init(_ registry: MetricsRegistry) {
        rows = registry.counter("vigil_timeline_retention_rows_removed_total", help: "Rows that the retention rules removed.")
        partitions = registry.counter(
            "vigil_timeline_retention_partitions_dropped_total", help: "Months that were dropped whole.")
        failures = registry.counter(
            "vigil_timeline_retention_failures_total", help: "Failed retention runs; the next one continues.")
        sealed = registry.counter("vigil_timeline_sealed_readings_total", help: "Readings that were packed into blocks.")
        sealedBytes = registry.counter("vigil_timeline_sealed_bytes_total", help: "Bytes of the blocks that readings were packed into.")
        sealingPaused = registry.gauge(
            "vigil_timeline_sealing_paused", help: "1 while nothing is packed because of `vigil timeline seal --pause`.")
        doubtsClock = registry.gauge(
            "vigil_timeline_retention_clock_doubted",
            help: "1 while retention waits because the machine's clock has leapt since the last run.")
        lastRun = registry.gauge("vigil_timeline_retention_last_run_seconds", help: "End of the last complete run, in Unix seconds.")
    }
}
