package import VigilSchema

extension SQLTimelineStore {
    package func undo(origin: String) async throws(StoreError) -> UndoReport {
        var attempt = 1
        while true {
            do throws(StoreError) {
                return try await remove { connection throws(StoreError) in
                    let sql = "SELECT id, first_time, last_time FROM origin WHERE name = $1"
                    guard let row = try connection.rows(sql, [.text(origin)]).first else { return UndoReport() }
                    return try OriginRemoval(connection: connection, row).run()
                }
            } catch  where error.code == .conflict && attempt < 5 {
                attempt += 1
            }
        }
    }
}

/// Removes what one origin brought, inside the caller's transaction.
struct OriginRemoval {
    private let connection: any SQLConnection
    private let origin: SQLValue
    private let number: Int64
    /// Between these moments lies everything that it brought.
    private let bounds: [SQLValue]

    /// - Parameter row: id, first_time, last_time; what an older version imported has no times.
    init(connection: any SQLConnection, _ row: SQLRow) {
        self.connection = connection
        number = row.integer(0)
        origin = .integer(number)
        bounds = [
            .time(row.optionalTime(1) ?? Timestamp(microseconds: RetentionSQL.earliest)),
            .time(row.optionalTime(2) ?? Timestamp(microseconds: 253_402_300_799_000_000)),
        ]
    }

    func run() throws(StoreError) -> UndoReport {
        var report = UndoReport()
        // As nothing that seals waits for the rollups' lock: this one first.
        try connection.lockSealing()
        if try Lookup(connection: connection).hasRollups() { try connection.lockRollups() }
        let sealed = SealedTable(connection)
        try sealed.unseal(where: "origins LIKE $1", [.text("%,\(number),%")])
        let touched = try touched()
        // The times of a session that stays are found in its readings.
        for session in touched.sessions.sorted() { try sealed.unseal(where: "sessions LIKE $1", [.text("%,\(session),%")]) }
        // What the import brought and something later replaced.
        try connection.run("DELETE FROM correction WHERE origin = $1", [origin])
        report.restored = try restore("reading", isBlock: false) + restore("waveform", isBlock: true)
        for table in ["reading", "waveform"] {
            report.removed += try connection.run("DELETE FROM \(table) WHERE \(Self.brought)", [origin] + bounds)
        }
        report.removed += try connection.run("DELETE FROM entry WHERE origin = $1", [origin])
        // The origin's number stays: the import may be done again, by a connection that knows it.
        try recount(touched.days)
        try Leftovers(connection: connection, bounds: bounds).remove(sessions: touched.sessions, participants: touched.participants)
        return report
    }

    /// Everything that loses something.
    private struct Touched {
        /// The series' days in which numbers go or change.
        var days: Set<RollupKey> = []
        var sessions: Set<Int64> = []
        var participants: Set<Int64> = []
    }

    private static let brought = "origin = $1 AND time >= $2 AND time <= $3"

    /// Finds what the origin brought by one look at the readings: no index leads to them, and a large import has millions.
    private func touched() throws(StoreError) -> Touched {
        var touched = Touched()
        let day = type(of: connection).bucketStart("time", .day)
        let readings = try connection.rows(
            "SELECT DISTINCT participant, session, metric, source, \(day) FROM reading WHERE \(Self.brought)", [origin] + bounds)
        for row in readings {
            let identity = Identity(
                time: row.integer(4), participant: Int32(truncatingIfNeeded: row.integer(0)),
                metric: Int32(truncatingIfNeeded: row.integer(2)), source: Int32(truncatingIfNeeded: row.integer(3)), sequence: 0)
            touched.days.insert(RollupKey(identity, level: .day))
        }
        let others = try connection.rows(
            """
            SELECT DISTINCT participant, session FROM waveform WHERE \(Self.brought)
            UNION SELECT participant, session FROM correction WHERE origin = $1
            UNION SELECT participant, NULL FROM entry WHERE origin = $1
            """, [origin] + bounds)
        for row in readings + others {
            touched.participants.insert(row.integer(0))
            if let session = row.optionalInteger(1) { touched.sessions.insert(session) }
        }
        return touched
    }

    private func recount(_ days: Set<RollupKey>) throws(StoreError) {
        guard try Lookup(connection: connection).hasRollups() else { return }
        try RollupRebuild(connection: connection).run(days: days)
    }

    /// Gives what the import corrected its latest earlier content, and says how many there were.
    private func restore(_ table: String, isBlock: Bool) throws(StoreError) -> Int {
        let names = ["time", "participant", "metric", "source", "seq"]
        let key = names.map { "c.\($0)" }.joined(separator: ", ")
        let match = names.map { "r.\($0) = c.\($0)" }.joined(separator: " AND ")
        // From the corrections, which are few, to the rows: the other way round SQLite would look through a series' corrections for each row.
        // The latest is what the row itself replaced. Numbers do not tell: an export that was put back added older ones behind it.
        try connection.prefersIndexes()
        let earlier = try connection.rows(
            """
            SELECT id\(isBlock ? ", \(names.joined(separator: ", "))" : "") FROM (
                SELECT c.id, \(key), row_number() OVER (
                    PARTITION BY \(key) ORDER BY (c.replaced = r.received) DESC, c.replaced DESC, c.received DESC, c.id DESC) AS place
                FROM correction c CROSS JOIN \(table) r
                WHERE \(match) AND r.origin = $1 AND r.time >= $2 AND r.time <= $3 AND c.samples IS \(isBlock ? "NOT NULL" : "NULL")
            ) AS known WHERE place = 1
            """, [origin] + bounds)
        if isBlock {
            for row in earlier { try restoreBlock(Array(row.values.dropFirst()), from: row.values[0]) }
        }
        let numbers = earlier.map { $0.integer(0) }
        for start in stride(from: 0, to: numbers.count, by: Self.largestStep) {
            let some = numbers[start..<min(start + Self.largestStep, numbers.count)]
            let list = SQLValue.text("[\(some.map(String.init).joined(separator: ","))]")
            if !isBlock { try restoreReadings(list) }
            try connection.run("DELETE FROM correction WHERE id IN (\(type(of: connection).elements(of: "$1")))", [list])
        }
        return earlier.count
    }

    /// The number of corrections that one statement takes back.
    private static let largestStep = 10_000

    /// Gives readings back what the corrections have kept, all at once: one by one, each would take a way to the server and back.
    private func restoreReadings(_ corrections: SQLValue) throws(StoreError) {
        let columns = ["value", "text", "received", "origin", "zone"].map { "\($0) = c.\($0)" }.joined(separator: ", ")
        let match = ["time", "participant", "metric", "source", "seq"].map { "reading.\($0) = c.\($0)" }.joined(separator: " AND ")
        try connection.prefersIndexes()
        try connection.run(
            """
            UPDATE reading SET \(columns), session = \(Self.session) FROM correction c
            WHERE c.id IN (\(type(of: connection).elements(of: "$1"))) AND \(match) AND reading.time >= $2 AND reading.time <= $3
            """, [corrections] + bounds)
        let sessions = try connection.rows(
            """
            SELECT c.session, min(c.time), max(c.time) FROM correction c
            WHERE c.id IN (\(type(of: connection).elements(of: "$1"))) AND c.session IS NOT NULL GROUP BY c.session ORDER BY c.session
            """, [corrections])
        for row in sessions { try widen(session: row.integer(0), row.time(1), row.time(2)) }
    }

    /// The session that a correction has kept, where it is its participant's still: earlier versions removed sessions that only corrections
    /// named, and SQLite may have given such a number to somebody else's.
    private static let session = "(SELECT e.id FROM session e WHERE e.id = c.session AND e.participant = c.participant)"

    private func widen(session: Int64, _ first: Timestamp, _ last: Timestamp) throws(StoreError) {
        try connection.run(TimeBounds.sql("session"), [.integer(session), .time(first), .time(last)])
    }

    private func restoreBlock(_ key: [SQLValue], from correction: SQLValue) throws(StoreError) {
        let columns = "period, count, samples, received, origin, zone"
        let sql = "SELECT time, period, count, samples, \(Self.session) FROM correction c WHERE id = $1"
        guard let kept = try connection.rows(sql, [correction]).first,
            let samples = WaveformCodec.decode(kept.blob(3), count: Int(kept.integer(2)), with: ZstdContext()),
            case let length = kept.real(1) * Double(samples.count), (0...1e12).contains(length)
        else { throw StoreError(.corrupt, operation: "undo", detail: "a replaced waveform block cannot be decoded") }
        let ends = kept.time(0).advanced(bySeconds: length)
        try connection.run(
            """
            UPDATE waveform SET ends = $6, min = $7, max = $8,
                (\(columns), session) = (SELECT \(columns), \(Self.session) FROM correction c WHERE id = $9)
            WHERE \(CorrectionSQL.identity)
            """,
            key.asTimes + [.time(ends), .real(samples.min() ?? 0), .real(samples.max() ?? 0), correction])
        if let session = kept.optionalInteger(4) { try widen(session: session, kept.time(0), ends) }
    }
}

extension [SQLValue] {
    /// An identity's values read from a row, as they are bound: SQLite gives a time back as a plain number.
    fileprivate var asTimes: [SQLValue] {
        guard case .integer(let time)? = first else { return self }
        return [.time(Timestamp(microseconds: time))] + dropFirst()
    }
}

/// Sessions and participants that may have lost everything that named them.
private struct Leftovers {
    let connection: any SQLConnection
    let bounds: [SQLValue]

    /// Removes those that nothing names any more, and narrows the others' times to what is left.
    func remove(sessions: Set<Int64>, participants: Set<Int64>) throws(StoreError) {
        if !sessions.isEmpty { try narrow(sessions) }
        for participant in participants.sorted() where try isUnknown(participant) {
            try connection.run("DELETE FROM participant WHERE id = $1", [.integer(participant)])
        }
    }

    /// All of them by one look at what lies between the first and the last of their times: readings have no index by session, and a list of
    /// sessions in the condition would be gone through for each of them.
    private func narrow(_ sessions: Set<Int64>) throws(StoreError) {
        let (some, listed) = ("IN (\(type(of: connection).elements(of: "$1")))", type(of: connection).elements(of: "$3"))
        // Keeps appends to them away until the transaction's end.
        _ = try connection.rows(
            "SELECT id FROM session WHERE id \(some) ORDER BY id \(type(of: connection).lockingClause)", [Self.list(sessions)])
        let reach = try connection.rows("SELECT min(first_time), max(last_time) FROM session WHERE id \(some)", [Self.list(sessions)]).first
        let range = [reach?.optionalTime(0), reach?.optionalTime(1)].compactMap { $0.map(SQLValue.time) }
        let rows = try connection.rows(
            """
            SELECT session, min(first), max(last) FROM (
                SELECT session, min(time) AS first, max(time) AS last FROM reading
                WHERE session IS NOT NULL AND time >= $1 AND time <= $2 GROUP BY session
                UNION ALL
                SELECT session, min(time), max(ends) FROM waveform
                WHERE session IS NOT NULL AND time >= $1 AND time <= $2 GROUP BY session
                UNION ALL -- What was replaced may be given back, to the session that it was of.
                SELECT session, min(time), max(time) FROM correction
                WHERE session IS NOT NULL AND participant IN (SELECT participant FROM session WHERE id IN (\(listed)))
                GROUP BY session) AS parts
            GROUP BY session
            """, (range.count == 2 ? range : bounds) + [Self.list(sessions)])
        let left = rows.filter { sessions.contains($0.integer(0)) }
        for row in left {
            try connection.run(
                "UPDATE session SET first_time = $2, last_time = $3 WHERE id = $1",
                [.integer(row.integer(0)), .time(row.time(1)), .time(row.time(2))])
        }
        let gone = sessions.subtracting(left.map { $0.integer(0) })
        try connection.run("DELETE FROM session WHERE id \(some)", [Self.list(gone)])
    }

    private static func list(_ numbers: Set<Int64>) -> SQLValue {
        .text("[\(numbers.sorted().map { String($0) }.joined(separator: ","))]")
    }

    /// Returns whether nothing names the participant, whose appends are kept away then until the transaction's end.
    ///
    /// Nobody else's are: one that is under way holds the participant, and may wait for the rollups, which this transaction holds.
    private func isUnknown(_ participant: Int64) throws(StoreError) -> Bool {
        let number = [SQLValue.integer(participant)]
        guard try hasNothing(number) else { return false }
        _ = try connection.rows("SELECT id FROM participant WHERE id = $1 \(type(of: connection).lockingClause)", number)
        return try hasNothing(number)
    }

    private func hasNothing(_ number: [SQLValue]) throws(StoreError) -> Bool {
        let numbers = try Lookup(connection: connection).hasRollups() ? "rollup_day" : "reading"
        let tables = [
            "session", "entry", "profile", "alert_event", "correction", "waveform", numbers, "reading WHERE text IS NOT NULL AND",
        ]
        for table in tables {
            let source = table.contains("WHERE") ? table : table + " WHERE"
            if try !connection.rows("SELECT 1 FROM \(source) participant = $1 LIMIT 1", number).isEmpty { return false }
        }
        return true
    }
}
