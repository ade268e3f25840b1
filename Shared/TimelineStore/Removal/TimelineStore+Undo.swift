import VigilSchema

/// What undoing an import did.
package struct UndoReport: Hashable, Sendable, Codable {
    /// Observations that are gone.
    package var removed = 0
    /// Observations that have the content again which they had before the import corrected it.
    package var restored = 0

    /// A report of nothing.
    package init() {}
}

extension TimelineStore {
    /// Takes back exactly what the batches of one origin added, in one transaction: new observations are removed, corrected ones get
    /// back what the import replaced, and rollups are counted anew.
    ///
    /// What arrived later stays: an observation that something else corrected after the import keeps that content. Time: the table of
    /// readings is read through once.
    /// - Parameter origin: the import's id; one that nothing has come from gives a report of nothing.
    package func undo(origin: String) async throws(StoreError) -> UndoReport {
        try await write { connection throws(StoreError) in
            guard let number = try connection.rows("SELECT id FROM origin WHERE name = $1", [.text(origin)]).first?.integer(0) else {
                return UndoReport()
            }
            return try OriginRemoval(connection: connection, origin: number).run()
        }
    }
}

/// Removes what one origin brought, inside the caller's transaction.
struct OriginRemoval {
    /// With more minutes than this, counting all rollups anew is quicker than minute by minute.
    private static let manyMinutes = 10_000

    let connection: any SQLConnection
    let origin: Int64

    func run() throws(StoreError) -> UndoReport {
        var report = UndoReport()
        let minutes = try touchedMinutes()
        // What the import brought and something later replaced.
        try connection.run("DELETE FROM correction WHERE origin = $1", [.integer(origin)])
        report.restored = try restore("reading", isBlock: false) + restore("waveform", isBlock: true)
        for table in ["reading", "waveform", "entry"] {
            report.removed += try connection.run("DELETE FROM \(table) WHERE origin = $1", [.integer(origin)])
        }
        // The origin's number stays: the import may be done again, by a connection that knows it.
        try recount(minutes)
        return report
    }

    /// The minutes in which readings go or change; nil where they are too many to count one by one.
    private func touchedMinutes() throws(StoreError) -> Set<RollupKey>? {
        let rows = try connection.rows(
            """
            SELECT DISTINCT participant, metric, source, \(type(of: connection).bucketStart("time", .minute)) FROM reading
            WHERE origin = $1 AND value IS NOT NULL LIMIT \(Self.manyMinutes + 1)
            """, [.integer(origin)])
        guard rows.count <= Self.manyMinutes else { return nil }
        return Set(
            rows.map { row in
                let identity = Identity(
                    time: row.integer(3), participant: Int32(truncatingIfNeeded: row.integer(0)),
                    metric: Int32(truncatingIfNeeded: row.integer(1)), source: Int32(truncatingIfNeeded: row.integer(2)), sequence: 0)
                return RollupKey(identity, level: .minute)
            })
    }

    private func recount(_ minutes: Set<RollupKey>?) throws(StoreError) {
        guard try Lookup(connection: connection).hasRollups() else { return }
        guard let minutes else { return try RollupRebuild(connection: connection).run() }
        try RollupSQL.recount(minutes, on: connection)
    }

    /// Gives what the import corrected its latest earlier content, and says how many there were.
    private func restore(_ table: String, isBlock: Bool) throws(StoreError) -> Int {
        let identity = "time, participant, metric, source, seq"
        let earlier = try connection.rows(
            """
            SELECT \(identity), max(c.id) FROM \(table) r JOIN correction c USING (\(identity))
            WHERE r.origin = $1 AND c.samples IS \(isBlock ? "NOT NULL" : "NULL") GROUP BY \(identity)
            """, [.integer(origin)])
        for row in earlier {
            let key = Array(row.values.prefix(5))
            if isBlock { try restoreBlock(key, from: row.values[5]) } else { try restoreReading(key, from: row.values[5]) }
            try connection.run("DELETE FROM correction WHERE id = $1", [row.values[5]])
        }
        return earlier.count
    }

    private func restoreReading(_ key: [SQLValue], from correction: SQLValue) throws(StoreError) {
        let columns = "value, text, received, session, origin, zone"
        try connection.run(
            """
            UPDATE reading SET (\(columns)) = (SELECT \(columns) FROM correction WHERE id = $6)
            WHERE \(CorrectionSQL.identity)
            """, key.asTimes + [correction])
    }

    private func restoreBlock(_ key: [SQLValue], from correction: SQLValue) throws(StoreError) {
        let columns = "period, count, samples, received, session, origin, zone"
        guard let kept = try connection.rows("SELECT time, \(columns) FROM correction WHERE id = $1", [correction]).first,
            let samples = WaveformCodec.decode(kept.blob(3), count: Int(kept.integer(2)), with: ZstdContext()),
            case let length = kept.real(1) * Double(samples.count), (0...1e12).contains(length)
        else { throw StoreError(.corrupt, operation: "undo", detail: "a replaced waveform block cannot be decoded") }
        let ends = kept.time(0).advanced(bySeconds: length)
        try connection.run(
            """
            UPDATE waveform SET ends = $6, min = $7, max = $8, (\(columns)) = (SELECT \(columns) FROM correction WHERE id = $9)
            WHERE \(CorrectionSQL.identity)
            """,
            key.asTimes + [.time(ends), .real(samples.min() ?? 0), .real(samples.max() ?? 0), correction])
    }
}

extension [SQLValue] {
    /// An identity's values read from a row, as they are bound: SQLite gives a time back as a plain number.
    fileprivate var asTimes: [SQLValue] {
        guard case .integer(let time)? = first else { return self }
        return [.time(Timestamp(microseconds: time))] + dropFirst()
    }
}
