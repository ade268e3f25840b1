package import ServiceKit

/// What the timeline counts, in observations: received = stored + duplicates + corrections + rejected + in flight.
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
        received = registry.counter("vigil_timeline_observations_received_total", help: "Observations taken from the bus.")
        stored = registry.counter("vigil_timeline_observations_stored_total", help: "Observations that were new.")
        duplicates = registry.counter(
            "vigil_timeline_observations_duplicate_total", help: "Observations that were stored already; they changed nothing.")
        corrections = registry.counter(
            "vigil_timeline_observations_corrected_total", help: "Observations that replaced an earlier content, which is kept.")
        rejected = registry.counter("vigil_timeline_observations_rejected_total", help: "Observations that the store cannot keep.")
        malformed = registry.counter("vigil_timeline_messages_malformed_total", help: "Messages that cannot be read.")
        alerts = registry.counter("vigil_timeline_alert_events_stored_total", help: "Transitions of alerts that were new.")
        alertDuplicates = registry.counter(
            "vigil_timeline_alert_events_duplicate_total", help: "Transitions of alerts that were stored already.")
        inFlight = registry.gauge("vigil_timeline_observations_in_flight", help: "Observations taken and not yet committed.")
        lag = registry.gauge(
            "vigil_timeline_lag_seconds", help: "From the suite's receipt of the oldest observation of the last commit to that commit.")
        batchSize = registry.histogram(
            "vigil_timeline_batch_observations", help: "Observations in one transaction.", buckets: Histogram.sizes)
        commit = registry.histogram("vigil_timeline_commit_seconds", help: "How long a transaction took.")
        outages = registry.counter("vigil_timeline_store_failures_total", help: "Transactions that failed and were tried again.")
    }
}
