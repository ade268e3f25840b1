import VigilSchema

/// PostgreSQL's way with rollups, beside which other connections append.
extension PostgresConnection {
    private static let key = "participant, metric, source, time"

    func lockRollups() throws(StoreError) {
        let tables = RollupLevel.allCases.map(\.table).joined(separator: ", ")
        try execute("LOCK TABLE \(tables) IN SHARE ROW EXCLUSIVE MODE")
    }

    func lockSealing() throws(StoreError) { try AdvisoryLock.sealing.hold(on: self) }

    func insert(_ readings: [SealedReading], of series: RollupKey) throws(StoreError) {
        var rows: [[UInt8]] = [CopyFormat.piece(readings.map { ReadingRow($0, of: series) }[...], Prepared(batches: 0))]
        try copy("COPY reading (\(CopyFormat.readingColumns)) FROM STDIN (FORMAT binary)", next: { rows.popLast() })
    }

    func add(_ sums: [(key: RollupKey, aggregate: Aggregate)], to level: RollupLevel) throws(StoreError) {
        if !sums.isEmpty { try pipeline([Self.addition(sums, level)]) }
    }

    /// The statement by which sums are added.
    static func addition(_ sums: [(key: RollupKey, aggregate: Aggregate)], _ level: RollupLevel) -> Command {
        let rows = "SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)"
        let aggregates = sums.map(\.aggregate)
        return Command(
            sql: RollupSQL.add(level, rows: rows),
            parameters: columns(sums.map(\.key)) + [
                PostgresParameter(aggregates.map(\.count)), PostgresParameter(aggregates.map(\.sum)),
                PostgresParameter(aggregates.map(\.min)), PostgresParameter(aggregates.map(\.max)),
                PostgresParameter(aggregates.map(\.first)), PostgresParameter(times: aggregates.map(\.firstTime.microseconds)),
                PostgresParameter(aggregates.map(\.firstSequence)), PostgresParameter(aggregates.map(\.last)),
                PostgresParameter(times: aggregates.map(\.lastTime.microseconds)), PostgresParameter(aggregates.map(\.lastSequence)),
            ])
    }

    /// First the buckets are made ours, also those that are not there: whoever appends to one has either committed before, and the count
    /// sees it, or comes after the commit, and adds to what was counted.
    func recount(_ keys: [RollupKey], _ level: RollupLevel) throws(StoreError) {
        guard let first = keys.map(\.start).min(), let last = keys.map(\.start).max() else { return }
        let columns = Self.columns(keys)
        let table = level.table
        let match = Self.key.split(separator: ", ").map { "r.\($0) = k.\($0)" }.joined(separator: " AND ")
        try execute(KnownIdentities.lookedUpOneByOne)
        _ = try rows(
            """
            INSERT INTO \(table) (\(RollupSQL.keyColumns), \(Aggregate.columns))
            SELECT \(Self.key), 0, 0, 0, 0, 0, time, 0, 0, time, 0 FROM unnest($1, $2, $3, $4) AS k (\(Self.key)) ON CONFLICT DO NOTHING
            """, columns: columns)
        // A locked row does not move, so that it is found again by its place.
        let places = try rows(
            """
            SELECT r.place FROM (SELECT * FROM unnest($1, $2, $3, $4) WITH ORDINALITY ORDER BY 5) AS k (\(Self.key), number),
                LATERAL (SELECT r.ctid::text AS place FROM \(table) r WHERE \(match) OFFSET 0 FOR UPDATE) r
            """, columns: columns)
        _ = try rows(
            "DELETE FROM \(table) WHERE ctid = ANY ($1::text[]::tid[])", columns: [PostgresParameter(texts: places.map { $0.text(0) })])
        let end = PostgresParameter(.time(.init(microseconds: last + level.width)))
        _ = try rows(
            """
            INSERT INTO \(table) (\(RollupSQL.keyColumns), \(Aggregate.columns))
            SELECT k.participant, k.metric, k.source, k.time, \(Self.counted(level))
            FROM unnest($1, $2, $3, $4) AS k (\(Self.key)), LATERAL (
                SELECT * FROM \(level.finer?.table ?? "reading") r
                WHERE r.participant = k.participant AND r.metric = k.metric AND r.source = k.source
                    AND r.time >= k.time AND r.time < k.time + interval '1 \(level.rawValue)'
                    AND r.time >= $5 AND r.time < $6\(level.finer == nil ? " AND r.value IS NOT NULL" : "") OFFSET 0
            ) r
            GROUP BY k.participant, k.metric, k.source, k.time
            """, columns: columns + [PostgresParameter(.time(.init(microseconds: first))), end])
    }

    /// `Aggregate.columns` of the rows of a bucket.
    private static func counted(_ level: RollupLevel) -> String {
        let isRaw = level.finer == nil
        func pick(_ end: String, _ column: String) -> String {
            let direction = end == "last" ? " DESC" : ""
            let order = isRaw ? ["r.time", "r.seq"] : ["r.\(end)_time", "r.\(end)_seq"]
            return "(array_agg(\(column) ORDER BY \(order.map { $0 + direction }.joined(separator: ", "))))[1]"
        }
        let sums = isRaw ? "count(*), sum(r.value), min(r.value), max(r.value)" : "sum(r.count)::bigint, sum(r.sum), min(r.min), max(r.max)"
        let ends = ["first", "last"].flatMap { end in
            (isRaw ? ["r.value", "r.time", "r.seq"] : ["r.\(end)", "r.\(end)_time", "r.\(end)_seq"]).map { pick(end, $0) }
        }
        return sums + ", " + ends.joined(separator: ", ")
    }

    /// The columns participant, metric, source and time.
    private static func columns(_ keys: [RollupKey]) -> [PostgresParameter] {
        [
            PostgresParameter(keys.map(\.participant)), PostgresParameter(keys.map(\.metric)), PostgresParameter(keys.map(\.source)),
            PostgresParameter(times: keys.map(\.start)),
        ]
    }
}
