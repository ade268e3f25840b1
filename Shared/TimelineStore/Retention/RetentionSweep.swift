/// How a table that is sorted by participant and metric loses what is kept no longer, some rows at a time.
struct RetentionSweep: Sendable {
    /// So many at once: milliseconds, in which nobody else can write to SQLite.
    static let rows = 2000

    let kind: RetentionRule.Kind
    let table: String
    private let key: String
    private let condition: String

    static let all =
        ["rollup_minute", "rollup_hour", "rollup_day"].map {
            RetentionSweep(kind: .rollup, table: $0, key: "participant, metric, time, source", condition: "time < $3")
        } + [
            // A block that reaches into what is kept is kept.
            RetentionSweep(kind: .waveform, table: "waveform", key: "participant, metric, time, source, seq", condition: "ends <= $3"),
            RetentionSweep(kind: .raw, table: "correction", key: "id", condition: "time < $3 AND samples IS NULL"),
            RetentionSweep(kind: .waveform, table: "correction", key: "id", condition: "time < $3 AND samples IS NOT NULL"),
        ]

    /// Parameters: participant, metric, the end.
    var sql: String {
        """
        DELETE FROM \(table) WHERE (\(key)) IN (
            SELECT \(key) FROM \(table) WHERE participant = $1 AND metric = $2 AND time < $3 AND \(condition) LIMIT \(Self.rows))
        """
    }
}
