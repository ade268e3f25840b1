/// A number of one metric at a moment, as the engine takes it.
package struct Reading: Hashable, Sendable {
    /// The metric's place in the rule set.
    package var metric: Int
    /// When it was measured: microseconds since 1970.
    package var time: Int64
    /// When the suite received it: microseconds since 1970.
    package var received: Int64
    /// The number; for a text its place in the rule set's vocabulary, −1 for one that no rule knows.
    package var value: Double

    package init(metric: Int, time: Int64, received: Int64, value: Double) {
        self.metric = metric
        self.time = time
        self.received = received
        self.value = value
    }
}
