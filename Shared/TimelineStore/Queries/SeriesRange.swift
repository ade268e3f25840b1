package import VigilSchema

/// Which readings a query is about: one participant's, of one metric, from one moment up to another.
package struct SeriesRange: Hashable, Sendable {
    package var participant: String
    package var metric: String
    /// The first moment that belongs to it.
    package var from: Timestamp
    /// The first moment that does not.
    package var to: Timestamp
    /// One source only; nil: all of them.
    package var source: String?

    /// Makes a range.
    package init(participant: String, metric: String, from: Timestamp, to: Timestamp, source: String? = nil) {
        self.participant = participant
        self.metric = metric
        self.from = from
        self.to = to
        self.source = source
    }
}
