package import VigilSchema

/// A reading as it is stored.
package struct StoredReading: Hashable, Sendable, Codable {
    package var metric: String
    package var unit: String
    package var source: String
    package var session: String?
    package var time: Timestamp
    package var sequence: Int32
    /// The number, or else the text.
    package var value: Double?
    package var text: String?
    package var received: Timestamp
    /// The wearer's minutes from UTC, where known.
    package var zone: Int16?
}

/// Some readings, and where the next ones start.
package struct ReadingsPage: Hashable, Sendable, Codable {
    package var readings: [StoredReading]
    /// To be given as `after` for the next page; nil: there are no more.
    package var next: ReadingsCursor?
}

/// A place between two readings; meaningful only to the store that gave it.
package struct ReadingsCursor: Hashable, Sendable, Codable {
    var time: Timestamp
    var metric: Int64
    var source: Int64
    var sequence: Int32
}

extension TimelineStore {
    /// A participant's readings, earliest first, a page at a time, so that a range of any length takes little memory.
    /// - Parameters:
    ///   - metric: one metric; nil: all.
    ///   - limit: how many at most, 1…100,000.
    ///   - after: the page before's `next`.
    package func readings(
        participant: String, metric: String? = nil, from: Timestamp, to: Timestamp, limit: Int = 1000, after: ReadingsCursor? = nil
    ) async throws(StoreError) -> ReadingsPage {
        guard (1...100_000).contains(limit) else {
            throw StoreError(.badRequest, operation: "query", detail: "a page has 1 to 100000 readings")
        }
        return try await read { connection throws(StoreError) in
            let lookup = Lookup(connection: connection)
            guard let number = try lookup.participant(participant) else { return ReadingsPage(readings: [], next: nil) }
            let wanted: Int64? = try metric.map { name throws(StoreError) in try lookup.metric(name) ?? -2 }
            let cursor = after ?? ReadingsCursor(time: from, metric: -1, source: -1, sequence: .min)
            let rows = try connection.rows(
                readingsSQL,
                [
                    .integer(number), .time(max(from, cursor.time)), .time(to), .integer(wanted ?? -1), .integer(cursor.metric),
                    .integer(cursor.source), .integer(Int64(cursor.sequence)), .integer(Int64(limit) + 1), .time(cursor.time),
                ])
            let page = rows.prefix(limit)
            let next = rows.count > limit ? page.last.map(ReadingsCursor.init) : nil
            return ReadingsPage(readings: page.map(StoredReading.init), next: next)
        }
    }
}

private let readingsSQL = """
    SELECT r.time, r.metric, r.source, r.seq, r.value, r.text, r.received, r.zone, m.name, m.unit, s.name, e.name
    FROM reading r JOIN metric m ON m.id = r.metric JOIN source s ON s.id = r.source LEFT JOIN session e ON e.id = r.session
    WHERE r.participant = $1 AND r.time >= $2 AND r.time < $3 AND ($4 = -1 OR r.metric = $4)
        AND (r.time, r.metric, r.source, r.seq) > ($9, $5, $6, $7)
    ORDER BY r.time, r.metric, r.source, r.seq LIMIT $8
    """

extension ReadingsCursor {
    init(_ row: SQLRow) {
        self.init(
            time: row.time(0), metric: row.integer(1), source: row.integer(2), sequence: Int32(truncatingIfNeeded: row.integer(3)))
    }
}

extension StoredReading {
    init(_ row: SQLRow) {
        self.init(
            metric: row.text(8), unit: row.text(9), source: row.text(10), session: row.optionalText(11), time: row.time(0),
            sequence: Int32(truncatingIfNeeded: row.integer(3)), value: row.optionalReal(4), text: row.optionalText(5),
            received: row.time(6), zone: row.optionalInteger(7).map { Int16(truncatingIfNeeded: $0) })
    }
}
