package import VigilSchema

/// What is stored of a metric of a participant.
package struct MetricSummary: Hashable, Sendable, Codable {
    package var metric: String
    package var unit: String
    /// Numbers and texts, or blocks of samples.
    package var count: Int64
    package var first: Timestamp
    package var last: Timestamp
    /// Whether it is a waveform.
    package var isWaveform: Bool
}

/// A recording session.
package struct SessionSummary: Hashable, Sendable, Codable {
    package var name: String
    package var first: Timestamp
    package var last: Timestamp

    package init(name: String, first: Timestamp, last: Timestamp) {
        self.name = name
        self.first = first
        self.last = last
    }
}

extension TimelineStore {
    /// Everybody who was observed, sorted.
    package func participants() async throws(StoreError) -> [String] {
        try await read { connection throws(StoreError) in
            try connection.rows("SELECT name FROM participant ORDER BY id").map { $0.text(0) }.sorted()
        }
    }

    /// What is stored of a participant, sorted by metric.
    package func metrics(participant: String) async throws(StoreError) -> [MetricSummary] {
        try await read { connection throws(StoreError) in
            let lookup = Lookup(connection: connection)
            guard let number = try lookup.participant(participant) else { return [] }
            let sources =
                try lookup.hasRollups()
                ? [
                    ("CAST(sum(r.count) AS bigint), min(r.first_time), max(r.last_time)", "rollup_day", "true"),
                    ("count(*), min(r.time), max(r.time)", "reading", "r.text IS NOT NULL"),
                ] : [("count(*), min(r.time), max(r.time)", "reading", "true")]
            var summaries: [MetricSummary] = []
            for (columns, table, condition) in sources + [("count(*), min(r.time), max(r.time)", "waveform", "true")] {
                let rows = try connection.rows(
                    """
                    SELECT m.name, m.unit, \(columns) FROM \(table) r JOIN metric m ON m.id = r.metric
                    WHERE r.participant = $1 AND \(condition) GROUP BY m.name, m.unit
                    """,
                    [.integer(number)])
                summaries += rows.map { MetricSummary($0, isWaveform: table == "waveform") }
            }
            return summaries.sorted { ($0.metric, $0.count) < ($1.metric, $1.count) }
        }
    }

    /// A participant's recording sessions, earliest first.
    package func sessions(participant: String) async throws(StoreError) -> [SessionSummary] {
        try await read { connection throws(StoreError) in
            guard let number = try Lookup(connection: connection).participant(participant) else { return [] }
            let rows = try connection.rows(
                """
                SELECT name, first_time, last_time FROM session
                WHERE participant = $1 AND first_time IS NOT NULL ORDER BY first_time, name
                """, [.integer(number)])
            return rows.map { SessionSummary(name: $0.text(0), first: $0.time(1), last: $0.time(2)) }
        }
    }
}

extension MetricSummary {
    init(_ row: SQLRow, isWaveform: Bool) {
        self.init(
            metric: row.text(0), unit: row.text(1), count: row.integer(2), first: row.time(3), last: row.time(4),
            isWaveform: isWaveform)
    }
}
