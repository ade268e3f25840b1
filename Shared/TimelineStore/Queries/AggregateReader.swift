import VigilSchema

/// Reads what a series' readings come to in the buckets of a level: from the rollups, or where there are none from the readings.
struct AggregateReader {
    typealias Bucket = (start: Timestamp, aggregate: Aggregate)

    let connection: any SQLConnection

    /// The buckets that hold readings and start in the range or hold its start, in their order, all sources together.
    func buckets(_ range: SeriesRange, _ level: RollupLevel) throws(StoreError) -> [Bucket] {
        guard let numbers = try Lookup(connection: connection).numbers(range) else { return [] }
        let found = try buckets(
            participant: numbers.participant, metrics: [numbers.metric], source: numbers.source, from: range.from, to: range.to, level)
        return found[numbers.metric] ?? []
    }

    /// The same of several metrics, by metric. At once, because a participant's buckets of one time lie side by side in the database.
    func buckets(
        participant: Int64, metrics: [Int64], source: Int64? = nil, from: Timestamp, to: Timestamp, _ level: RollupLevel
    ) throws(StoreError) -> [Int64: [Bucket]] {
        guard !metrics.isEmpty else { return [:] }
        let fixed: [SQLValue] = [.integer(participant), .time(level.start(of: from)), .time(to), .integer(source ?? -1)]
        let places = metrics.indices.map { "$\(fixed.count + 1 + $0)" }.joined(separator: ", ")
        let condition = "participant = $1 AND time >= $2 AND time < $3 AND ($4 < 0 OR source = $4) AND metric IN (\(places))"
        let values = fixed + metrics.map { .integer($0) }
        let parts = try Lookup(connection: connection).hasRollups() ? rollups(condition, values, level) : counted(condition, values, level)
        return parts.mapValues(Self.merged)
    }

    /// A source's share of a bucket, or one reading.
    private struct Part {
        let start: Timestamp
        let source: Int64
        let aggregate: Aggregate

        static func isBefore(_ left: Part, _ right: Part) -> Bool {
            (left.start, left.source, left.aggregate.firstTime, left.aggregate.firstSequence)
                < (right.start, right.source, right.aggregate.firstTime, right.aggregate.firstSequence)
        }
    }

    private func rollups(_ condition: String, _ values: [SQLValue], _ level: RollupLevel) throws(StoreError) -> [Int64: [Part]] {
        let sql = "SELECT metric, source, time, \(Aggregate.columns) FROM \(level.table) WHERE \(condition)"
        var parts: [Int64: [Part]] = [:]
        for row in try connection.rowsPlannedForValues(sql, values) {
            let part = Part(start: row.time(2), source: row.integer(1), aggregate: Aggregate(row, from: 3))
            parts[row.integer(0), default: []].append(part)
        }
        return parts
    }

    private func counted(_ condition: String, _ values: [SQLValue], _ level: RollupLevel) throws(StoreError) -> [Int64: [Part]] {
        let sql = "SELECT metric, source, time, value, seq FROM reading WHERE \(condition) AND value IS NOT NULL"
        var parts: [Int64: [Part]] = [:]
        for row in try connection.rows(sql, values) {
            let one = Aggregate(value: row.real(3), time: row.time(2), sequence: Int32(truncatingIfNeeded: row.integer(4)))
            parts[row.integer(0), default: []].append(Part(start: level.start(of: row.time(2)), source: row.integer(1), aggregate: one))
        }
        return parts
    }

    /// In no order the database finds them soonest; here they come nearly sorted.
    private static func merged(_ parts: [Part]) -> [Bucket] {
        var buckets: [Bucket] = []
        for part in parts.sorted(by: Part.isBefore) {
            if let last = buckets.indices.last, buckets[last].start == part.start {
                buckets[last].aggregate.merge(part.aggregate)
            } else {
                buckets.append((part.start, part.aggregate))
            }
        }
        return buckets
    }
}

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
