import VigilSchema

/// The sums that an append adds to the rollups, and the buckets that it has to count anew.
struct RollupDelta {
    private var sums: [(key: RollupKey, aggregate: Aggregate)] = []
    private var places: [RollupKey: Int] = [:]
    /// Minutes in which a reading was replaced or removed: they cannot be corrected by adding.
    private(set) var recounts: Set<RollupKey> = []

    /// The places in `sums` of the newest minutes of a few series, by the series' lowest bits: neighbouring rows mostly fall into the
    /// minutes of the rows before, which are then found without hashing.
    private var recent = [Int](repeating: -1, count: 1024)

    /// Takes a new number in; a text adds nothing.
    mutating func add(_ reading: ReadingRow) {
        guard reading.text == ReadingRow.none else { return }
        let key = RollupKey(reading.identity, level: .minute)
        let one = Aggregate(
            value: reading.value, time: Timestamp(microseconds: reading.identity.time), sequence: reading.identity.sequence)
        let slot = Int(key.participant &* 8 ^ key.metric ^ key.source &* 64) & 1023
        let place = recent[slot]
        if place >= 0, sums[place].key == key { return sums[place].aggregate.merge(one) }
        if let place = places[key] {
            sums[place].aggregate.merge(one)
            recent[slot] = place
        } else {
            places[key] = sums.count
            recent[slot] = sums.count
            sums.append((key, one))
        }
    }

    /// Notes that a reading's minute has to be counted anew.
    mutating func recount(_ identity: Identity) { recounts.insert(RollupKey(identity, level: .minute)) }

    /// The sums of every level, each in the order of its keys.
    func levels() -> [(level: RollupLevel, sums: [(key: RollupKey, aggregate: Aggregate)])] {
        var finer = sums.sorted { $0.key < $1.key }
        return RollupLevel.allCases.map { level in
            if level != .minute { finer = Self.coarser(finer, level) }
            return (level, finer)
        }
    }

    /// The sums of a coarser level. Of one series' bucket the parts follow one another but for other sources' between them.
    private static func coarser(
        _ sums: [(key: RollupKey, aggregate: Aggregate)], _ level: RollupLevel
    ) -> [(key: RollupKey, aggregate: Aggregate)] {
        var result: [(key: RollupKey, aggregate: Aggregate)] = []
        // The places of the present bucket's sources but the last, once there are several.
        var places: [Int32: Int] = [:]
        for (key, aggregate) in sums {
            let key = key.coarser(level)
            let last = result.indices.last
            if let last, result[last].key == key {
                result[last].aggregate.merge(aggregate)
            } else {
                if let last, result[last].key.isBeside(key) { places[result[last].key.source] = last } else { places.removeAll() }
                if let known = places[key.source] {
                    result[known].aggregate.merge(aggregate)
                } else {
                    result.append((key, aggregate))
                }
            }
        }
        return result.sorted { $0.key < $1.key }
    }
}

/// The rollup tables' statements, in the dialect of both databases.
enum RollupSQL {
    static let keyColumns = "participant, metric, source, time"

    /// Adds a row's sums to a bucket, making it where it is missing. `rows` is what gives the rows, columns as
    /// `keyColumns` and `Aggregate.columns`.
    static func add(_ level: RollupLevel, rows: String) -> String {
        let table = level.table
        // Spelled out, as SQLite compares rows column by column at a higher price.
        let first = before("excluded.first_time", "excluded.first_seq", "\(table).first_time", "\(table).first_seq")
        let last = before("\(table).last_time", "\(table).last_seq", "excluded.last_time", "excluded.last_seq", or: "=")
        let ends =
            ["first", "first_time", "first_seq"].map { choose($0, in: table, when: first) }
            + ["last", "last_time", "last_seq"].map { choose($0, in: table, when: last) }
        return """
            INSERT INTO \(table) (\(keyColumns), \(Aggregate.columns)) \(rows)
            ON CONFLICT (\(keyColumns)) DO UPDATE SET
            count = \(table).count + excluded.count, sum = \(table).sum + excluded.sum,
            \(choose("min", in: table, when: "excluded.min < \(table).min")),
            \(choose("max", in: table, when: "excluded.max > \(table).max")),
            \(ends.joined(separator: ",\n"))
            """
    }

    private static func before(
        _ time: String, _ sequence: String, _ otherTime: String, _ otherSequence: String, or equal: String = ""
    ) -> String {
        "\(time) < \(otherTime) OR (\(time) = \(otherTime) AND \(sequence) <\(equal) \(otherSequence))"
    }

    private static func choose(_ column: String, in table: String, when condition: String) -> String {
        "\(column) = CASE WHEN \(condition) THEN excluded.\(column) ELSE \(table).\(column) END"
    }

    /// Counts the buckets anew that hold these minutes, but those whose readings are kept no longer.
    static func recount(_ touched: Set<RollupKey>, on connection: some SQLConnection) throws(StoreError) {
        guard !touched.isEmpty else { return }
        let kept = try KeptFrom(connection, of: Set(touched.map(\.metric)))
        let minutes = touched.filter { kept.keeps($0.metric, at: $0.start) }
        for level in RollupLevel.allCases { try connection.recount(Set(minutes.map { $0.coarser(level) }).sorted(), level) }
    }

    /// The statement that removes a bucket.
    static func removal(_ level: RollupLevel) -> String {
        "DELETE FROM \(level.table) WHERE participant = $1 AND metric = $2 AND source = $3 AND time = $4"
    }

    /// The query for what a bucket consists of: readings, or buckets of the finer level.
    static func parts(_ level: RollupLevel) -> String {
        let range = "participant = $1 AND metric = $2 AND source = $3 AND time >= $4 AND time < $5"
        guard let finer = level.finer else {
            return "SELECT value, time, seq FROM reading WHERE \(range) AND value IS NOT NULL ORDER BY time, seq"
        }
        return "SELECT \(Aggregate.columns) FROM \(finer.table) WHERE \(range) ORDER BY time"
    }
}

extension RollupKey {
    /// The values of `RollupSQL.keyColumns`.
    var values: [SQLValue] {
        [
            .integer(Int64(participant)), .integer(Int64(metric)), .integer(Int64(source)), .time(Timestamp(microseconds: start)),
        ]
    }
}
