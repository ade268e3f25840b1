package import ServiceKit

/// What ingest counts. received = accepted + refused + held back, in readings.
package struct IngestMetrics: Sendable {
    package let messages: Counter
    package let accepted: Counter
    package let refused: Counter
    package let heldBack: Counter
    package let slowed: Counter
    package let batches: Counter
    package let inFlight: Gauge
    package let latency: Histogram

    package init(_ registry: MetricsRegistry) {
        messages = registry.counter("vigil_ingest_messages_total", help: "Messages received from devices")
        accepted = registry.counter("vigil_ingest_readings_accepted_total", help: "Readings normalised and published to the bus")
        refused = registry.counter(
            "vigil_ingest_readings_refused_total", help: "Readings refused; a message refused as a whole counts as one")
        heldBack = registry.counter(
            "vigil_ingest_readings_held_back_total", help: "Readings that a device repeats over and over, not published again")
        slowed = registry.counter(
            "vigil_ingest_slowed_total", help: "Times that reading paused because a device exceeded its rate limit")
        batches = registry.counter("vigil_ingest_batches_total", help: "Canonical batches published")
        inFlight = registry.gauge("vigil_ingest_messages_in_flight", help: "Messages taken and not yet acknowledged")
        latency = registry.histogram(
            "vigil_ingest_settle_seconds", help: "From taking a batch of messages to the broker's acknowledgement of all it became")
    }
}
