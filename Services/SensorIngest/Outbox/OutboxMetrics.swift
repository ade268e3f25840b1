package import ServiceKit

/// What the outbox shows.
package struct OutboxMetrics: Sendable {
    package let batches: Gauge
    package let bytes: Gauge
    package let repeats: Counter
    package let receipts: Counter

    package init(_ registry: MetricsRegistry) {
        batches = registry.gauge("vigil_ingest_outbox_batches", help: "Canonical batches that the timeline has not confirmed yet")
        bytes = registry.gauge("vigil_ingest_outbox_bytes", help: "Size of the batches that the timeline has not confirmed yet")
        repeats = registry.counter("vigil_ingest_outbox_repeats_total", help: "Batches published again for want of a confirmation")
        receipts = registry.counter("vigil_ingest_receipts_total", help: "Receipts sent to publishers who asked")
    }

    /// Shows what the outbox holds.
    package func show(_ load: Outbox.Load) {
        batches.set(Double(load.batches))
        bytes.set(Double(load.bytes))
    }
}
