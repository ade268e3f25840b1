import VigilSchema

extension TimelineStore {
    /// Counts all rollups anew from the readings, in one transaction, where rollups are kept: for a database that was repaired by hand.
    package func recountRollups() async throws(StoreError) {
        try await write { connection throws(StoreError) in
            guard try Lookup(connection: connection).hasRollups() else { return }
            try RollupRebuild(connection: connection).run()
        }
    }
}

/// Makes the rollups anew from the readings.
struct RollupRebuild {
    let connection: any SQLConnection

    /// Notes whether rollups are kept from now on, and says so; where they were not and shall be, makes them.
    /// - Parameter wanted: nil leaves it as it is.
    func follow(wanted: Bool?) throws(StoreError) -> Bool {
        let known = try connection.rows("SELECT value FROM setting WHERE name = 'rollups'").first?.text(0)
        let wanted = wanted ?? (known != "off")
        let now = wanted ? "on" : "off"
        guard known != now else { return wanted }
        if wanted && known == "off" { try run() }
        if !wanted { try clear() }
        try connection.run(
            "INSERT INTO setting (name, value) VALUES ('rollups', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            [.text(now)])
        return wanted
    }

    /// Counts everything anew of which the readings are kept.
    func run() throws(StoreError) {
        try clear()
        try fillMinutes()
        for level in [RollupLevel.hour, .day] { try fill(level) }
    }

    /// Month by month, so that a database sorts no more at once.
    private func fillMinutes() throws(StoreError) {
        var from = Timestamp(microseconds: RetentionSQL.earliest)
        while let next = try connection.rows("SELECT time FROM reading WHERE time >= $1 ORDER BY time LIMIT 1", [.time(from)]).first {
            let end = Timestamp(microseconds: Month(next.integer(0)).next.start)
            try fill(.minute, " AND time >= $1 AND time < $2", [.time(from), .time(end)])
            from = end
        }
    }

    private func clear() throws(StoreError) {
        for level in RollupLevel.allCases { try connection.execute("DELETE FROM \(level.table) WHERE \(Self.isKept(level.table))") }
    }

    private static func isKept(_ table: String) -> String {
        "NOT EXISTS (SELECT 1 FROM metric m WHERE m.id = \(table).metric AND \(table).time < m.kept_from)"
    }

    private func fill(_ level: RollupLevel, _ condition: String = "", _ values: [SQLValue] = []) throws(StoreError) {
        let start = type(of: connection).bucketStart("time", level)
        let finer = level.finer?.table
        let key = "participant, metric, source, \(start)"
        let first = "PARTITION BY \(key) ORDER BY \(finer == nil ? "time, seq" : "first_time, first_seq")"
        let last = "PARTITION BY \(key) ORDER BY \(finer == nil ? "time DESC, seq DESC" : "last_time DESC, last_seq DESC")"
        let sums = finer == nil ? "1 AS n, value AS s, value AS low, value AS high" : "count AS n, sum AS s, min AS low, max AS high"
        let columns = { (prefix: String) in
            finer == nil
                ? "value AS \(prefix)_v, time AS \(prefix)_t, seq AS \(prefix)_s"
                : "\(prefix) AS \(prefix)_v, \(prefix)_time AS \(prefix)_t, \(prefix)_seq AS \(prefix)_s"
        }
        let picks = ["first", "last"].flatMap { end in
            ["v", "t", "s"].map { "max(CASE WHEN \(end)_n = 1 THEN \(end)_\($0) END)" }
        }
        try connection.run(
            """
            INSERT INTO \(level.table) (\(RollupSQL.keyColumns), \(Aggregate.columns))
            SELECT participant, metric, source, start, sum(n), sum(s), min(low), max(high), \(picks.joined(separator: ", "))
            FROM (
                SELECT participant, metric, source, \(start) AS start, \(sums), \(columns("first")), \(columns("last")),
                    row_number() OVER (\(first)) AS first_n, row_number() OVER (\(last)) AS last_n
                FROM \(finer ?? "reading") WHERE \(Self.isKept(finer ?? "reading"))\(finer == nil ? " AND value IS NOT NULL" : "")\(condition)) AS parts
            GROUP BY participant, metric, source, start
            """, values)
    }
}
