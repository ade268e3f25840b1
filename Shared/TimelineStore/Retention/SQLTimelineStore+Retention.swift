package import VigilSchema

extension SQLTimelineStore {
    package func retentionRules() async throws(StoreError) -> [RetentionRule] {
        try await read { connection throws(StoreError) in try RetentionSQL.rules(connection) }
    }

    package func setRetention(_ rule: RetentionRule) async throws(StoreError) {
        guard (2...100_000).contains(rule.days) else {
            throw StoreError(.badRequest, operation: "retention", detail: "a rule keeps 2 to 100000 days")
        }
        _ = try await write { connection throws(StoreError) in
            try connection.run(
                """
                INSERT INTO retention (kind, metric, days) VALUES ($1, $2, $3)
                ON CONFLICT (kind, metric) DO UPDATE SET days = excluded.days
                """, [.text(rule.kind.rawValue), .text(rule.metric ?? ""), .integer(Int64(rule.days))])
        }
    }

    package func removeRetention(_ kind: RetentionRule.Kind, metric: String?) async throws(StoreError) -> Bool {
        try await write { connection throws(StoreError) in
            try connection.run(
                "DELETE FROM retention WHERE kind = $1 AND metric = $2", [.text(kind.rawValue), .text(metric ?? "")]) > 0
        }
    }

    package func applyRetention(now: Timestamp) async throws(StoreError) -> RetentionReport {
        let plan = try await write { connection throws(StoreError) in try RetentionSQL.begin(connection, now: now) }
        var report = RetentionReport()
        report.add(try await removeSealed(plan), to: "reading")
        for (kind, table) in [(RetentionRule.Kind.raw, "reading"), (.waveform, "waveform")] {
            guard let end = plan.end(kind) else { continue }
            report.partitions += try await remove { connection throws(StoreError) in
                let dropped = try connection.dropPartitions(of: table, before: end)
                // Whoever wrote to a month that is dropped has committed, and what they wrote is seen from here on.
                if !dropped.isEmpty { try plan.checkMetrics(on: connection) }
                return dropped
            }
        }
        report.add(try await removeReadings(plan), to: "reading")
        for sweep in RetentionSweep.all where !Task.isCancelled { report.add(try await run(sweep, plan), to: sweep.table) }
        return report
    }

    /// Block by block: the day of each goes or stays whole.
    private func removeSealed(_ plan: RetentionPlan) async throws(StoreError) -> Int {
        var removed = 0
        for (metric, end) in (plan.horizons[.raw] ?? [:]).sorted(by: { $0.key < $1.key }) {
            var count: Int
            repeat {
                guard !Task.isCancelled else { return removed }
                count = try await write { connection throws(StoreError) in
                    try SealedTable(connection).remove(metric: metric, before: end, most: RetentionSweep.rows / 20)
                }
                removed += count
            } while count > 0
        }
        return removed
    }

    /// Hour by hour, as the table is sorted by time.
    private func removeReadings(_ plan: RetentionPlan) async throws(StoreError) -> Int {
        guard let last = plan.horizons[.raw]?.values.max() else { return 0 }
        var (from, removed): (Int64, Int) = (.min / 4, 0)
        while !Task.isCancelled, let next = try await first(after: from), next < last {
            let start = RollupLevel.hour.start(of: next)
            let end = start + RollupLevel.hour.width
            let metrics = plan.metrics(.raw, goneBefore: end)
            from = end
            guard !metrics.isEmpty else { continue }
            let values: [SQLValue] = [.time(Timestamp(microseconds: start)), .time(Timestamp(microseconds: end))]
            removed += try await repeatedly(values) { _ in RetentionSQL.readings(metrics) }
        }
        return removed
    }

    /// Runs a statement that removes some rows until it finds less.
    private func repeatedly(
        _ values: [SQLValue], _ sql: @escaping @Sendable (any SQLConnection) -> String
    ) async throws(StoreError) -> Int {
        var removed = 0
        while !Task.isCancelled {
            let count = try await write { connection throws(StoreError) in try connection.run(sql(connection), values) }
            removed += count
            if count < RetentionSweep.rows { break }
        }
        return removed
    }

    private func first(after time: Int64) async throws(StoreError) -> Int64? {
        try await read { connection throws(StoreError) in
            let time = max(time, RetentionSQL.earliest)
            return try connection.rows(
                "SELECT time FROM reading WHERE time >= $1 ORDER BY time LIMIT 1", [.time(Timestamp(microseconds: time))]
            ).first?.time(0).microseconds
        }
    }

    /// Series by series, as the other tables are sorted by participant.
    private func run(_ sweep: RetentionSweep, _ plan: RetentionPlan) async throws(StoreError) -> Int {
        let horizons = plan.horizons[sweep.kind] ?? [:]
        guard !horizons.isEmpty else { return 0 }
        var removed = 0
        let participants = try await read { connection throws(StoreError) in
            try connection.rows("SELECT id FROM participant ORDER BY id").map { $0.integer(0) }
        }
        for participant in participants {
            for (metric, end) in horizons.sorted(by: { $0.key < $1.key }) {
                let values: [SQLValue] = [.integer(participant), .integer(metric), .time(Timestamp(microseconds: end))]
                removed += try await repeatedly(values, sweep.sql)
            }
        }
        return removed
    }
}

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

/// The way a table that is sorted by participant and metric loses what is kept no longer, some rows at a time.
struct RetentionSweep: Sendable {
    /// So many at once: milliseconds, in which nobody else can write to SQLite.
    static let rows = 2000

    let kind: RetentionRule.Kind
    let table: String
    private let key: String
    private let condition: String
    private var keepsStrips = false

    static let all =
        ["rollup_minute", "rollup_hour", "rollup_day"].map {
            RetentionSweep(kind: .rollup, table: $0, key: "participant, metric, time, source", condition: "time < $3")
        } + [
            // A block that reaches into what is kept is kept.
            RetentionSweep(
                kind: .waveform, table: "waveform", key: "participant, metric, time, source, seq", condition: "ends <= $3",
                keepsStrips: true),
            RetentionSweep(kind: .raw, table: "correction", key: "id", condition: "time < $3 AND samples IS NULL"),
            RetentionSweep(kind: .waveform, table: "correction", key: "id", condition: "time < $3 AND samples IS NOT NULL"),
        ]

    /// Parameters: participant, metric, the end.
    func sql(_ connection: any SQLConnection) -> String {
        let isGone: String
        if keepsStrips { isGone = condition + " AND NOT " + KeptStrips.isKept(table, type(of: connection)) } else { isGone = condition }
        return """
            DELETE FROM \(table) WHERE (\(key)) IN (
                SELECT \(key) FROM \(table) WHERE participant = $1 AND metric = $2 AND time < $3 AND \(isGone) LIMIT \(Self.rows))
            """
    }
}
