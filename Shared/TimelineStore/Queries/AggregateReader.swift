import VigilSchema

/// Reads what the readings of some series come to in the buckets of a level: from the rollups, or where there are none from the readings. All sources together, but of what counts over intervals only one of them a day (`CounterRule`).
struct AggregateReader {
    typealias Bucket = (start: Timestamp, aggregate: Aggregate)

    let connection: any SQLConnection

    /// The buckets of several metrics that hold readings and start in the range or hold its start, by metric, in their order. At once, because a
    /// participant's buckets of one time lie side by side in the database.
    func buckets(
        participant: Int64, metrics: [(id: Int64, name: String)], from: Timestamp, to: Timestamp,
        _ level: RollupLevel, by rule: CounterRule
    ) throws(StoreError) -> [Int64: [Bucket]] {
        guard !metrics.isEmpty else { return [:] }
        let fixed: [SQLValue] = [.integer(participant), .time(level.start(of: from)), .time(to)]
        let places = metrics.indices.map { "$\(fixed.count + 1 + $0)" }.joined(separator: ", ")
        let condition =
            "participant = $1 AND time >= $2 AND time < $3 AND metric IN (\(places))"
        let values = fixed + metrics.map { .integer($0.id) }
        let hasRollups = try Lookup(connection: connection).hasRollups()
        var parts = try hasRollups ? rollups(condition, values, level) : counted(condition, values, level)
        var rule = rule
        for metric in metrics where CounterRule.concerns(metric.name) {
            parts[metric.id] = try parts[metric.id].map { parts throws(StoreError) in try rule.chosen(parts, on: connection) }
        }
        return parts.mapValues(Self.merged)
    }

    /// A source's share of a bucket, or one reading.
    struct Part {
        let start: Timestamp
        let source: Int64
        var aggregate: Aggregate

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
    static func merged(_ parts: [Part]) -> [Bucket] {
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
