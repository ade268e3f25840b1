import Observability
import Synchronization

/// Registers the engine's counters for `/metrics`.
enum AlertMetrics {
    static func register(_ counts: AlertCounts, _ metrics: MetricsRegistry) {
        metrics.counter("vigil_alert_readings_total", help: "Readings that a rule or score needed.") {
            counts.readings.load(ordering: .relaxed)
        }
        metrics.counter("vigil_alert_ignored_readings_total", help: "Readings too old or too late to be judged, by rule.") {
            counts.ignored.load(ordering: .relaxed)
        }
        metrics.counter("vigil_alert_events_total", help: "Transitions of alerts.") { counts.events.load(ordering: .relaxed) }
        metrics.gauge(
            "vigil_alert_lag_seconds", help: "Time from the receipt of the oldest reading in the last batch to its evaluation."
        ) { Double(counts.lag.load(ordering: .relaxed)) / 1e6 }
        metrics.counter("vigil_alert_malformed_batches_total", help: "Batches that could not be read.") {
            counts.malformed.load(ordering: .relaxed)
        }
        metrics.counter("vigil_alert_strangers_readings_total", help: "Readings not judged because too many participants are in memory.") {
            counts.strangers.load(ordering: .relaxed)
        }
        metrics.counter("vigil_alert_repeated_batches_total", help: "Batches that came again and had been judged.") {
            counts.repeated.load(ordering: .relaxed)
        }
        metrics.counter("vigil_alert_unpublishable_total", help: "Messages that the broker refused permanently.") {
            counts.unpublishable.load(ordering: .relaxed)
        }
        metrics.counter(
            "vigil_alert_unconfirmed_total", help: "Alarms published before they were stored, because the state's database was away."
        ) { counts.unconfirmed.load(ordering: .relaxed) }
        metrics.counter("vigil_alert_questions_refused_total", help: "Questions refused because too many were waiting.") {
            counts.questionsRefused.load(ordering: .relaxed)
        }
        metrics.counter("vigil_alert_answers_dropped_total", help: "Answers dropped because too many waited for the same account.") {
            counts.answersDropped.load(ordering: .relaxed)
        }
    }
}

/// Registers the metrics of pending commits, for replicas.
enum ShareAlertMetrics {
    static func register(_ coordinators: ShareCoordinators, _ metrics: MetricsRegistry) {
        metrics.gauge("vigil_alert_commits_waiting", help: "Commits that the state's database has not confirmed.") {
            Double(coordinators.waiting.count)
        }
        metrics.gauge("vigil_alert_commit_wait_seconds", help: "Waiting time of the oldest of them.") {
            coordinators.waiting.seconds
        }
    }
}

/// Counters that the core increments and anybody reads.
package final class AlertCounts: Sendable {
    let readings = Atomic(0)
    let ignored = Atomic(0)
    let events = Atomic(0)
    let malformed = Atomic(0)
    /// Microseconds.
    let lag = Atomic<Int64>(0)
    let repeated = Atomic(0)
    /// Readings of participants beyond the limit.
    let strangers = Atomic(0)
    /// Messages that the broker refused permanently.
    let unpublishable = Atomic(0)
    /// Alarms that were published before they were stored.
    let unconfirmed = Atomic(0)
    /// Questions that were refused because too many were waiting.
    let questionsRefused = Atomic(0)
    /// Answers that were dropped because too many of the account were waiting.
    let answersDropped = Atomic(0)

    package init() {}
}
