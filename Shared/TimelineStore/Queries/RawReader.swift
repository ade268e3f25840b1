import VigilSchema

/// Reads a series' numbers themselves.
struct RawReader {
    let connection: any SQLConnection

    /// Each number as an aggregate of one, earliest first.
    func readings(_ range: SeriesRange) throws(StoreError) -> [Aggregate] {
        guard let numbers = try Lookup(connection: connection).numbers(range) else { return [] }
        let rows = try connection.rows(
            """
            SELECT time, value, seq FROM reading
            WHERE time >= $1 AND time < $2 AND participant = $3 AND metric = $4 AND ($5 < 0 OR source = $5) AND value IS NOT NULL
            ORDER BY time, source, seq
            """,
            [
                .time(range.from), .time(range.to), .integer(numbers.participant), .integer(numbers.metric),
                .integer(numbers.source ?? -1),
            ])
        return rows.map { row in
            Aggregate(value: row.real(1), time: row.time(0), sequence: Int32(truncatingIfNeeded: row.integer(2)))
        }
    }
}
