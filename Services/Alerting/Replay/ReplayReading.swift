/// A recorded value, for trying rules out.
package struct ReplayReading: Hashable, Sendable {
    /// What was measured.
    package enum Value: Hashable, Sendable {
        case number(Double)
        case text(String)
    }

    package var participant: String
    package var metric: String
    /// Microseconds since 1970.
    package var time: Int64
    package var value: Value

    package init(participant: String, metric: String, time: Int64, value: Value) {
        self.participant = participant
        self.metric = metric
        self.time = time
        self.value = value
    }
}
