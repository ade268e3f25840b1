import VigilSchema

/// The tables in which something stands of a participant; those that others refer to last. An erasure empties them, an export gives them.
package let personalTables = [
    "reading", "sealed", "waveform", "correction", "rollup_minute", "rollup_hour", "rollup_day", "entry", "alert_event", "profile",
    "session",
    "wearer_clock",
]

/// A rollup's bucket as it is stored: the only trace of readings that a retention rule has removed.
package struct StoredSum: Codable, Hashable, Sendable {
    package let metric: String
    package let source: String
    /// Seconds that each of the source's readings counts over; 0 for moments.
    package let period: Int64
    /// Unix seconds.
    package let time: Double
    package let count: Int64
    package let sum: Double
    package let min: Double
    package let max: Double
    package let first: Double
    package let last: Double
}

/// The place among a participant's buckets behind which the next ones follow.
package struct SumPlace: Hashable, Sendable {
    fileprivate var metric: Int64 = 0
    fileprivate var time = Timestamp(microseconds: 0)
    fileprivate var source: Int64 = 0

    /// Before the first.
    package init() {}
}

/// A change of a participant's clock.
package struct ClockChange: Codable, Hashable, Sendable {
    /// Unix seconds.
    package let since: Double
    /// From UTC.
    package let minutes: Int64
}

extension SQLTimelineStore {
    package func imports(participant: String) async throws(StoreError) -> [String] {
        try await read { connection throws(StoreError) in
            guard let number = try Lookup(connection: connection).participant(participant) else { return [] }
            let origins = ["reading", "waveform", "correction", "entry"].map { "SELECT origin FROM \($0) WHERE participant = $1" }
            let sql = "SELECT name FROM origin WHERE id IN (\(origins.joined(separator: " UNION "))) ORDER BY name"
            let open = try connection.rows(sql, [.integer(number)]).map { $0.text(0) }
            let blocks = try connection.rows("SELECT DISTINCT origins FROM sealed WHERE participant = $1", [.integer(number)])
            let numbers = Set(blocks.flatMap { $0.text(0).split(separator: ",").compactMap { Int64($0) } })
            let sealed = try numbers.sorted().map { number throws(StoreError) in
                try connection.rows("SELECT name FROM origin WHERE id = $1", [.integer(number)]).map { $0.text(0) }
            }
            return Set(open + sealed.joined()).sorted()
        }
    }

    package func clockChanges(participant: String) async throws(StoreError) -> [ClockChange] {
        try await read { connection throws(StoreError) in
            guard let number = try Lookup(connection: connection).participant(participant) else { return [] }
            let sql = "SELECT since, minutes FROM wearer_clock WHERE participant = $1 ORDER BY since"
            return try connection.rows(sql, [.integer(number)]).map { ClockChange(since: $0.time(0).seconds, minutes: $0.integer(1)) }
        }
    }

    package func sums(
        participant: String, _ level: RollupLevel, after place: SumPlace
    ) async throws(StoreError) -> (sums: [StoredSum], last: SumPlace) {
        try await read { connection throws(StoreError) in
            guard let number = try Lookup(connection: connection).participant(participant) else { return ([], place) }
            let rows = try connection.rows(
                """
                SELECT r.metric, r.time, r.source, m.name, s.name, s.period, r.count, r.sum, r.min, r.max, r.first, r.last
                FROM rollup_\(level) r JOIN metric m ON m.id = r.metric JOIN source s ON s.id = r.source
                WHERE r.participant = $1 AND (r.metric, r.time, r.source) > ($2, $3, $4)
                ORDER BY r.metric, r.time, r.source LIMIT 5000
                """, [.integer(number), .integer(place.metric), .time(place.time), .integer(place.source)])
            var last = place
            if let row = rows.last { (last.metric, last.time, last.source) = (row.integer(0), row.time(1), row.integer(2)) }
            return (rows.map(StoredSum.init), last)
        }
    }
}

extension StoredSum {
    fileprivate init(_ row: SQLRow) {
        self.init(
            metric: row.text(3), source: row.text(4), period: row.integer(5), time: row.time(1).seconds, count: row.integer(6),
            sum: row.real(7), min: row.real(8), max: row.real(9), first: row.real(10), last: row.real(11))
    }
}
