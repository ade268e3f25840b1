import VigilSchema

/// The rules, and the start of a retention run.
enum RetentionSQL {
    /// 1 January of the year 1: the earliest time that a store takes.
    static let earliest: Int64 = -62_135_596_800_000_000

    static func rules(_ connection: any SQLConnection) throws(StoreError) -> [RetentionRule] {
        try connection.rows("SELECT kind, metric, days FROM retention ORDER BY kind, metric").compactMap { row in
            RetentionRule.Kind(rawValue: row.text(0)).map { kind in
                RetentionRule(kind, metric: row.text(1).isEmpty ? nil : row.text(1), days: Int(row.integer(2)))
            }
        }
    }

    /// The plan, after noting from when on each metric's readings are kept: no append takes older ones from now on.
    static func begin(_ connection: any SQLConnection, now: Timestamp) throws(StoreError) -> RetentionPlan {
        let metrics = try connection.rows("SELECT id, name FROM metric ORDER BY id").map { (id: $0.integer(0), name: $0.text(1)) }
        let plan = RetentionPlan(try rules(connection), metrics: metrics, now: now)
        for (metric, end) in (plan.horizons[.raw] ?? [:]).sorted(by: { $0.key < $1.key }) {
            try connection.run(
                "UPDATE metric SET kept_from = $1 WHERE id = $2 AND (kept_from IS NULL OR kept_from < $1)",
                [.time(Timestamp(microseconds: end)), .integer(metric)])
        }
        return plan
    }

    /// Removes some readings of these metrics between two moments, the earliest first.
    static func readings(_ metrics: [Int64]) -> String {
        let key = "time, participant, metric, source, seq"
        return """
            DELETE FROM reading WHERE time >= $1 AND time < $2 AND (\(key)) IN (
                SELECT \(key) FROM reading WHERE time >= $1 AND time < $2 AND metric IN (\(list(metrics)))
                ORDER BY time LIMIT \(RetentionSweep.rows))
            """
    }

    /// For `IN (…)`.
    static func list(_ numbers: [Int64]) -> String { numbers.map(String.init).joined(separator: ", ") }
}
