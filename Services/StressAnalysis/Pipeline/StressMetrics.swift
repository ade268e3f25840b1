package import ServiceKit

/// What the stress analysis counts.
package struct StressMetrics: Sendable {
    let messages: Counter
    let malformed: Counter
    let observations: Counter
    let derived: Counter
    let commands: Counter
    let refusedCommands: Counter
    let participants: Gauge
    let dropped: Gauge
    let latency: Histogram
    let lag: Gauge

    /// Registers the metrics.
    package init(_ registry: MetricsRegistry) {
        messages = registry.counter("vigil_stress_messages_total", help: "Messages received from the bus")
        malformed = registry.counter("vigil_stress_messages_malformed_total", help: "Messages that are no canonical batch")
        observations = registry.counter("vigil_stress_observations_total", help: "Observations taken in")
        derived = registry.counter("vigil_stress_derived_total", help: "Derived observations published")
        commands = registry.counter("vigil_stress_commands_total", help: "Commands obeyed")
        refusedCommands = registry.counter("vigil_stress_commands_refused_total", help: "Commands that were malformed")
        participants = registry.gauge("vigil_stress_participants", help: "Participants in memory")
        dropped = registry.gauge(
            "vigil_stress_blocks_dropped", help: "Blocks that came twice or too late, of the participants in memory")
        lag = registry.gauge(
            "vigil_stress_lag_seconds", help: "From the suite's receipt of the oldest observation of the last message to its analysis")
        latency = registry.histogram(
            "vigil_stress_settle_seconds", help: "From taking a delivery to the broker's acknowledgement of what it caused")
    }
}
