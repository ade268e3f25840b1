package import ServiceKit

/// What retention has removed since the start.
package struct RetentionMetrics: Sendable {
    package let rows: Counter
    package let partitions: Counter
    package let failures: Counter
    package let lastRun: Gauge

    package init(_ registry: MetricsRegistry) {
        rows = registry.counter("vigil_timeline_retention_rows_removed_total", help: "Rows that the retention rules removed.")
        partitions = registry.counter(
            "vigil_timeline_retention_partitions_dropped_total", help: "Months that were dropped as a whole, with all their rows.")
        failures = registry.counter(
            "vigil_timeline_retention_failures_total", help: "Retention runs that failed; the next one goes on.")
        lastRun = registry.gauge("vigil_timeline_retention_last_run_seconds", help: "When the last complete run ended, Unix seconds.")
    }
}
