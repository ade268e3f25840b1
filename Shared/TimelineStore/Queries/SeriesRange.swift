package import VigilSchema

/// The readings that a query is about: one participant's, of one metric, from one moment up to another.
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

/// The database's numbers for names in a query.
struct Lookup {
    let connection: any SQLConnection

    func participant(_ name: String) throws(StoreError) -> Int64? {
        try connection.rows("SELECT id FROM participant WHERE name = $1", [.text(name)]).first?.integer(0)
    }

    func metric(_ name: String) throws(StoreError) -> Int64? {
        try connection.rows("SELECT id FROM metric WHERE name = $1", [.text(name)]).first?.integer(0)
    }

    /// The latest time at which no block that reaches beyond `moment` can have begun.
    func beforeBlocks(of metric: Int64, reaching moment: Timestamp) throws(StoreError) -> Timestamp {
        let longest = try connection.rows("SELECT longest FROM metric WHERE id = $1", [.integer(metric)]).first?.integer(0) ?? 0
        return Timestamp(microseconds: moment.microseconds - longest - 1)
    }

    /// Returns whether rollups are kept, so that a query may use them.
    func hasRollups() throws(StoreError) -> Bool {
        try connection.rows("SELECT value FROM setting WHERE name = 'rollups'").first?.text(0) == "on"
    }

    /// A condition that keeps a range's source, in a parameter of type text that is empty where every source will do. A source has a number
    /// for each interval that its readings count over.
    static func isFrom(_ parameter: String, _ column: String = "source") -> String {
        "(\(parameter) = '' OR \(column) IN (SELECT id FROM source WHERE name = \(parameter)))"
    }

    /// Participant and metric; nil where one of them is unknown, so that nothing was observed.
    func numbers(_ range: SeriesRange) throws(StoreError) -> (participant: Int64, metric: Int64)? {
        guard range.from <= range.to else {
            throw StoreError(.badRequest, operation: "query", detail: "the range ends before it starts")
        }
        guard let participant = try participant(range.participant), let metric = try metric(range.metric) else { return nil }
        return (participant, metric)
    }
}
