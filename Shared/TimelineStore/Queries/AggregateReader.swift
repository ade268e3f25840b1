import VigilSchema

/// Reads what a series' readings come to in the buckets of a level: from the rollups, or where there are none from the readings.
struct AggregateReader {
    let connection: any SQLConnection

    /// The buckets that hold readings and start in the range or hold its start, in their order, all sources together.
    func buckets(_ range: SeriesRange, _ level: RollupLevel) throws(StoreError) -> [(start: Timestamp, aggregate: Aggregate)] {
        guard let numbers = try Lookup(connection: connection).numbers(range) else { return [] }
        let from = level.start(of: range.from)
        let parameters: [SQLValue] = [
            .integer(numbers.participant), .integer(numbers.metric), .time(from), .time(range.to),
            .integer(numbers.source ?? -1),
        ]
        return try Lookup(connection: connection).hasRollups() ? rollups(parameters, level) : counted(parameters, level)
    }

    private static let condition = """
        participant = $1 AND metric = $2 AND time >= $3 AND time < $4 AND ($5 < 0 OR source = $5)
        """

    private func rollups(_ parameters: [SQLValue], _ level: RollupLevel) throws(StoreError) -> [(Timestamp, Aggregate)] {
        let rows = try connection.rows(
            "SELECT time, \(Aggregate.columns) FROM \(level.table) WHERE \(Self.condition) ORDER BY time, source", parameters)
        var buckets: [(Timestamp, Aggregate)] = []
        for row in rows { Self.add(Aggregate(row, from: 1), at: row.time(0), to: &buckets) }
        return buckets
    }

    private func counted(_ parameters: [SQLValue], _ level: RollupLevel) throws(StoreError) -> [(Timestamp, Aggregate)] {
        let rows = try connection.rows(
            "SELECT time, value, seq FROM reading WHERE \(Self.condition) AND value IS NOT NULL ORDER BY time, source, seq", parameters)
        var buckets: [(Timestamp, Aggregate)] = []
        for row in rows {
            let one = Aggregate(value: row.real(1), time: row.time(0), sequence: Int32(truncatingIfNeeded: row.integer(2)))
            Self.add(one, at: level.start(of: row.time(0)), to: &buckets)
        }
        return buckets
    }

    private static func add(_ aggregate: Aggregate, at start: Timestamp, to buckets: inout [(Timestamp, Aggregate)]) {
        if let last = buckets.indices.last, buckets[last].0 == start {
            buckets[last].1.merge(aggregate)
        } else {
            buckets.append((start, aggregate))
        }
    }
}
