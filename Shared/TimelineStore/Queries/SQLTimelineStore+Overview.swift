package import VigilSchema

extension SQLTimelineStore {
    package func participants() async throws(StoreError) -> [String] {
        try await read { connection throws(StoreError) in
            try connection.rows("SELECT name FROM participant ORDER BY id").map { $0.text(0) }.sorted()
        }
    }

    package func metrics(participant: String, counted: Bool) async throws(StoreError) -> [MetricSummary] {
        try await counted
            ? readAtLength { connection throws(StoreError) in try MetricSQL(connection, counted).summaries(participant) }
            : read { connection throws(StoreError) in try MetricSQL(connection, counted).summaries(participant) }
    }

    package func sources(_ range: SeriesRange) async throws(StoreError) -> [String] {
        try await read { connection throws(StoreError) in
            let lookup = Lookup(connection: connection)
            guard let numbers = try lookup.numbers(range) else { return [] }
            let table = try lookup.hasRollups() ? "rollup_day" : "reading"
            let rows = try connection.rows(
                """
                SELECT DISTINCT s.name FROM \(table) r JOIN source s ON s.id = r.source
                WHERE r.participant = $1 AND r.metric = $2 AND r.time >= $3 AND r.time < $4
                """,
                [.integer(numbers.participant), .integer(numbers.metric), .time(RollupLevel.day.start(of: range.from)), .time(range.to)])
            return rows.map { $0.text(0) }.sorted()
        }
    }

    package func sessions(participant: String, limit: Int, offset: Int) async throws(StoreError) -> [SessionSummary] {
        try await read { connection throws(StoreError) in
            guard let number = try Lookup(connection: connection).participant(participant) else { return [] }
            let rows = try connection.rows(
                """
                SELECT name, first_time, last_time FROM session
                WHERE participant = $1 AND first_time IS NOT NULL ORDER BY first_time, name LIMIT $2 OFFSET $3
                """, [.integer(number), .integer(Int64(limit)), .integer(Int64(offset))])
            return rows.map { SessionSummary(name: $0.text(0), first: $0.time(1), last: $0.time(2)) }
        }
    }
}

/// The questions behind what is stored of a participant. To count it everything is read, if only in sums; the first and the last are looked up.
private struct MetricSQL {
    private let connection: any SQLConnection
    private let counted: Bool

    init(_ connection: any SQLConnection, _ counted: Bool) { (self.connection, self.counted) = (connection, counted) }

    func summaries(_ participant: String) throws(StoreError) -> [MetricSummary] {
        let lookup = Lookup(connection: connection)
        guard let number = try lookup.participant(participant) else { return [] }
        let readings: [String]
        if try lookup.hasRollups() {
            let days = counted ? Self.all("rollup_day", "CAST(sum(r.count) AS bigint), min(r.first_time), max(r.last_time)") : Self.days
            readings = [days, Self.all("reading", "count(*), min(r.time), max(r.time)", where: "r.text IS NOT NULL")]
        } else {
            readings = [Self.all("reading", "count(*), min(r.time), max(r.time)")]
        }
        let waveforms = counted ? Self.all("waveform", "count(*), min(r.time), max(r.time)") : Self.waveforms
        var found: [MetricSummary] = []
        for sql in readings { found += try summaries(sql, number, isWaveform: false) }
        found += try summaries(waveforms, number, isWaveform: true)
        return found.sorted { ($0.metric, $0.count ?? 0) < ($1.metric, $1.count ?? 0) }
    }

    private func summaries(_ sql: String, _ participant: Int64, isWaveform: Bool) throws(StoreError) -> [MetricSummary] {
        try connection.rows(sql, [.integer(participant)]).filter { !$0.isNull(3) }.map { row in
            MetricSummary(
                metric: row.text(0), unit: row.text(1), count: counted ? row.integer(2) : nil, first: row.time(3), last: row.time(4),
                isWaveform: isWaveform)
        }
    }

    private static func all(_ table: String, _ columns: String, where condition: String = "true") -> String {
        """
        SELECT m.name, m.unit, \(columns) FROM \(table) r JOIN metric m ON m.id = r.metric
        WHERE r.participant = $1 AND \(condition) GROUP BY m.name, m.unit
        """
    }

    /// Of several sources on the first or last day all are looked at.
    private static let days = """
        SELECT m.name, m.unit, NULL, \(end("min(first_time)", "min(time)")), \(end("max(last_time)", "max(time)")) FROM metric m
        """

    private static func end(_ column: String, _ day: String) -> String {
        let series = "participant = $1 AND metric = m.id"
        return "(SELECT \(column) FROM rollup_day WHERE \(series) AND time = (SELECT \(day) FROM rollup_day WHERE \(series)))"
    }

    private static let waveforms = """
        SELECT m.name, m.unit, NULL, (SELECT min(time) FROM waveform WHERE participant = $1 AND metric = m.id),
            (SELECT max(time) FROM waveform WHERE participant = $1 AND metric = m.id)
        FROM metric m WHERE m.longest > 0
        """
}

extension SQLTimelineStore {
    package func latest(participant: String) async throws(StoreError) -> [LatestValue] {
        try await read { connection throws(StoreError) in
            let lookup = Lookup(connection: connection)
            guard let number = try lookup.participant(participant) else { return [] }
            let numbers = try connection.rows(try lookup.hasRollups() ? LatestSQL.rollups : LatestSQL.readings, [.integer(number)])
            let texts = try connection.rows(LatestSQL.texts, [.integer(number)])
            var newest: [String: LatestValue] = [:]
            for row in numbers + texts {
                let value = LatestValue(
                    metric: row.text(0), unit: row.text(1), source: row.text(2), time: row.time(3), value: row.optionalReal(4),
                    text: row.optionalText(5), period: row.integer(6) == 0 ? nil : Int32(truncatingIfNeeded: row.integer(6)))
                if (newest[value.metric]?.time).map({ $0 < value.time }) ?? true { newest[value.metric] = value }
            }
            return newest.values.sorted { $0.metric < $1.metric }
        }
    }
}

private enum LatestSQL {
    static let rollups = """
        SELECT m.name, m.unit, s.name, d.last_time, d.last, NULL, s.period
        FROM rollup_day d
            JOIN (SELECT metric, source, max(time) AS time FROM rollup_day WHERE participant = $1 GROUP BY metric, source) n
                ON n.metric = d.metric AND n.source = d.source AND n.time = d.time
            JOIN metric m ON m.id = d.metric JOIN source s ON s.id = d.source
        WHERE d.participant = $1 ORDER BY s.id
        """
    static let readings = newest("r.value IS NOT NULL", of: "value IS NOT NULL")
    static let texts = newest("r.text IS NOT NULL", of: "text IS NOT NULL")

    private static func newest(_ outer: String, of inner: String) -> String {
        """
        SELECT m.name, m.unit, s.name, r.time, r.value, r.text, s.period
        FROM reading r
            JOIN (SELECT metric, source, max(time) AS time FROM reading WHERE participant = $1 AND \(inner) GROUP BY metric, source) n
                ON n.metric = r.metric AND n.source = r.source AND n.time = r.time
            JOIN metric m ON m.id = r.metric JOIN source s ON s.id = r.source
        WHERE r.participant = $1 AND \(outer) ORDER BY s.id, r.seq DESC
        """
    }
}
