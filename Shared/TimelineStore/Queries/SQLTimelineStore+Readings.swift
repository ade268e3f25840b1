package import VigilSchema

extension SQLTimelineStore {
    package func readings(
        participant: String, metric: String?, from: Timestamp, to: Timestamp, limit: Int, bytes: Int,
        after: ReadingsCursor?
    ) async throws(StoreError) -> ReadingsPage {
        guard (1...100_000).contains(limit) else {
            throw StoreError(.badRequest, operation: "query", detail: "a page has 1 to 100000 readings")
        }
        return try await readAtLength { connection throws(StoreError) in
            let lookup = Lookup(connection: connection)
            guard let number = try lookup.participant(participant) else { return ReadingsPage(readings: [], next: nil) }
            let wanted: Int64? = try metric.map { name throws(StoreError) in try lookup.metric(name) ?? -2 }
            let cursor = after ?? ReadingsCursor(time: from, metric: -1, source: -1, sequence: .min)
            let rows = try connection.rows(
                readingsSQL(ofOne: wanted != nil),
                [
                    .integer(number), .time(max(from, cursor.time)), .time(to), .integer(cursor.metric), .integer(cursor.source),
                    .integer(Int64(cursor.sequence)), .integer(Int64(limit) + 1), .time(cursor.time),
                ] + (wanted.map { [.integer($0)] } ?? []))
            var page = ReadingsPage(readings: [], next: nil)
            var room = bytes
            for (index, row) in rows.enumerated() {
                room -= Int(row.integer(13))
                if index == limit || (room < 0 && index > 0) {
                    page.next = ReadingsCursor(rows[index - 1])
                    break
                }
                var reading = StoredReading(row)
                if reading.value == nil && reading.text == nil { reading.text = try longText(number, row, connection) }
                page.readings.append(reading)
            }
            return page
        }
    }
}

/// A text so long that it is read only once there is room for it; new ones are refused.
private func longText(_ participant: Int64, _ row: SQLRow, _ connection: any SQLConnection) throws(StoreError) -> String? {
    try connection.rows(
        "SELECT text FROM reading WHERE \(CorrectionSQL.identity)",
        [.time(row.time(0)), .integer(participant), .integer(row.integer(1)), .integer(row.integer(2)), .integer(row.integer(3))]
    ).first?.optionalText(0)
}

/// A statement for one metric and another for all: a plan that has to do for both would use no index that leads to one.
private func readingsSQL(ofOne isOne: Bool) -> String {
    """
    SELECT r.time, r.metric, r.source, r.seq, r.value,
        CASE WHEN length(r.text) <= \(Observation.longestText) THEN r.text END, r.received, r.zone, m.name, m.unit, s.name, e.name, s.period, coalesce(length(r.text), 0)
    FROM reading r JOIN metric m ON m.id = r.metric JOIN source s ON s.id = r.source LEFT JOIN session e ON e.id = r.session
    WHERE r.participant = $1 AND r.time >= $2 AND r.time < $3\(isOne ? " AND r.metric = $9" : "")
        AND (r.time, r.metric, r.source, r.seq) > ($8, $4, $5, $6)
    ORDER BY r.time, r.metric, r.source, r.seq LIMIT $7
    """
}

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
            received: row.time(6), zone: row.optionalInteger(7).map { Int16(truncatingIfNeeded: $0) },
            period: row.integer(12) == 0 ? nil : Int32(truncatingIfNeeded: row.integer(12)))
    }
}
