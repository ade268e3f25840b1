/// The device that is listened to for a signal, and the time up to which it was heard.
struct Listening: Sendable, Codable {
    var source: String
    var until: Double
    /// What is dated before it; nil for nothing.
    @Sparse var behind: ClockRollback? = nil
    /// The receipt of what was heard last; nil for none.
    var received: Double?
    /// Nil in what a version before has kept.
    var metric: WearerAnalysis.Metric?

    init(source: String, metric: WearerAnalysis.Metric, until: Double, received: Double?) {
        (self.source, self.metric, self.until, self.received) = (source, metric, until, received)
    }
}
