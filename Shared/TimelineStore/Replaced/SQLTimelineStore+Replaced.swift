package import VigilSchema

extension SQLTimelineStore {
    package func corrections(participant: String, after: Int64) async throws(StoreError) -> [ReplacedValue] {
        try await read { connection throws(StoreError) in
            guard let number = try Lookup(connection: connection).participant(participant) else { return [] }
            let rows = try connection.rows(
                """
                SELECT c.id, m.name, m.unit, s.name, c.time, c.seq, c.value, c.text, c.count, c.received, c.replaced, c.samples, c.period,
                    nullif(s.period, 0), e.name, c.zone
                FROM correction c JOIN metric m ON m.id = c.metric JOIN source s ON s.id = c.source LEFT JOIN session e ON e.id = c.session
                WHERE c.participant = $1 AND c.id > $2 ORDER BY c.id LIMIT 1000
                """, [.integer(number), .integer(after)])
            let zstd = ZstdContext()
            var values: [ReplacedValue] = []
            for row in rows { values.append(try ReplacedValue(row, zstd)) }
            return values
        }
    }

    package func restore(_ values: [ReplacedValue], participant: String, origin: String?) async throws(StoreError) -> AppendCounts {
        try await write { connection throws(StoreError) in
            var dimensions = DimensionCache()
            let restoration = Restoration(
                connection: connection, participant: try dimensions.participant(participant, on: connection),
                origin: try origin.map { name throws(StoreError) in try dimensions.origin(name, on: connection) })
            var counts = AppendCounts()
            for value in values { counts.count(try restoration.add(value, &dimensions) ? .new : .duplicate) }
            return counts
        }
    }

    package func entryReceipts(participant: String) async throws(StoreError) -> [String: Timestamp] {
        try await read { connection throws(StoreError) in
            guard let number = try Lookup(connection: connection).participant(participant) else { return [:] }
            let rows = try connection.rows("SELECT id, received FROM entry WHERE participant = $1", [.integer(number)])
            return Dictionary(rows.map { ($0.text(0), $0.time(1)) }, uniquingKeysWith: { first, _ in first })
        }
    }
}

extension ReplacedValue {
    fileprivate init(_ row: SQLRow, _ zstd: ZstdContext) throws(StoreError) {
        self.init(
            number: row.integer(0), metric: row.text(1), unit: row.text(2), source: row.text(3), session: row.optionalText(14),
            time: row.time(4), sequence: Int32(truncatingIfNeeded: row.integer(5)),
            zone: row.optionalInteger(15).map { Int16(truncatingIfNeeded: $0) }, received: row.time(9), replaced: row.time(10))
        if let count = row.optionalInteger(8) {
            guard let block = WaveformCodec.decode(row.blob(11), count: Int(count), with: zstd) else {
                throw StoreError(.corrupt, operation: "query", detail: "a replaced waveform block cannot be decoded")
            }
            (samples, period) = (block, row.real(12))
        } else {
            (value, text, period) = (row.optionalReal(6), row.optionalText(7), row.optionalInteger(13).map(Double.init))
        }
    }
}

/// Puts replaced values back where they stood, each once.
private struct Restoration {
    let connection: any SQLConnection
    let participant: Int32
    let origin: Int32?
    private let zstd = ZstdContext()

    init(connection: any SQLConnection, participant: Int32, origin: Int32?) {
        (self.connection, self.participant, self.origin) = (connection, participant, origin)
    }

    /// Returns whether it was missing.
    func add(_ value: ReplacedValue, _ dimensions: inout DimensionCache) throws(StoreError) -> Bool {
        do {
            try value.validate()
        } catch {
            throw StoreError(.badRequest, operation: "restore", detail: error.reason)
        }
        let metric = try dimensions.metric(value.metric, unit: value.unit, on: connection)
        guard metric.unit == value.unit else {
            throw StoreError(
                .badRequest, operation: "restore", detail: "the unit is not \(metric.unit), which \(value.metric) is stored in")
        }
        let interval = value.samples == nil ? Int32(value.period ?? 0) : 0
        let identity = Identity(
            time: value.time.microseconds, participant: participant, metric: metric.id,
            source: try dimensions.source(value.source, interval: interval, on: connection), sequence: value.sequence)
        if try isKnown(value, identity) { return false }
        let session = try value.session.map { name throws(StoreError) in try dimensions.session(name, of: participant, on: connection) }
        try connection.run(
            Self.insert,
            identity.values + [
                .optional(value.value), .optional(value.text), value.samples == nil ? .null : .optional(value.period),
                .optional(value.samples?.count), value.samples.map { .blob(WaveformCodec.encode($0, with: zstd)) } ?? .null,
                .time(value.received), .optional(session), .optional(origin), .optional(value.zone), .time(value.replaced),
            ])
        if let session {
            let length = (value.period ?? 0) * Double(value.samples?.count ?? 0)
            let ends = value.samples == nil ? value.time : value.time.advanced(bySeconds: length)
            try connection.run(TimeBounds.sql("session"), [.integer(Int64(session)), .time(value.time), .time(ends)])
        }
        return true
    }

    private func isKnown(_ value: ReplacedValue, _ identity: Identity) throws(StoreError) -> Bool {
        let rows = try connection.rows(
            "SELECT value, text, count FROM correction WHERE \(CorrectionSQL.identity) AND received = $6 AND replaced = $7",
            identity.values + [.time(value.received), .time(value.replaced)])
        return rows.contains {
            $0.optionalReal(0) == value.value && $0.optionalText(1) == value.text
                && $0.optionalInteger(2) == value.samples.map { Int64($0.count) }
        }
    }

    private static let insert = """
        INSERT INTO correction (time, participant, metric, source, seq, value, text, period, count, samples, received, session, origin, zone, replaced)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
        """
}
