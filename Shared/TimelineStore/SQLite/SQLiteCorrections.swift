import SQLiteDatabase
import VigilSchema

/// Decides about readings whose identities are known by the rule of `CorrectionSQL`, with statements that are found once for many readings and bound
/// value by value: a device may correct some ten thousand readings with one message.
struct SQLiteCorrections {
    private let find: Statement
    private let replaced: Statement
    private let keep: Statement
    private let update: Statement
    private let release: Statement

    init(_ connection: SQLiteConnection) throws(StoreError) {
        do throws(SQLiteError) {
            find = try connection.statement(Self.findSQL)
            replaced = try connection.statement(Self.replacedSQL)
            keep = try connection.statement(Self.keepSQL)
            update = try connection.statement(Self.updateSQL)
            release = try connection.statement(Self.releaseSQL)
        } catch {
            throw StoreError(error, operation: "append")
        }
    }

    /// Decides about a reading, and replaces what is known where it is a correction.
    func resolve(_ reading: ReadingRow, text: String?) throws(StoreError) -> Verdict {
        let verdict: Verdict?
        do throws(SQLiteError) { verdict = try decide(reading, text) } catch { throw StoreError(error, operation: "append") }
        guard let verdict else { throw StoreError(.conflict, operation: "append", detail: "a reading vanished") }
        return verdict
    }

    /// Nil where the reading is not there.
    private func decide(_ reading: ReadingRow, _ text: String?) throws(SQLiteError) -> Verdict? {
        try find.bind(reading.identity)
        defer { find.rewind() }
        guard try find.step() else { return nil }
        let same = find.holds(reading, text)
        if same, reading.origin == ReadingRow.none, !find.isNull(3) { try run(release, reading.identity) }
        guard !same, Verdict.isLater(reading.received, than: find.integer(2)), try !wasReplaced(reading, text) else { return .duplicate }
        try keep.bind(reading.received, at: 6)
        try run(keep, reading.identity)
        try replace(reading, text)
        return .correction
    }

    /// Whether what the reading says was replaced before: then it is a late repetition.
    private func wasReplaced(_ reading: ReadingRow, _ text: String?) throws(SQLiteError) -> Bool {
        try replaced.bind(reading.identity)
        try replaced.bind(reading.received, at: 6)
        defer { replaced.rewind() }
        while try replaced.step() { if replaced.holds(reading, text) { return true } }
        return false
    }

    private func replace(_ reading: ReadingRow, _ text: String?) throws(SQLiteError) {
        // Parameters that stay unbound are NULL.
        update.reset()
        if let text { try update.bind(text, at: 7) } else { try update.bind(reading.value, at: 6) }
        try update.bind(reading.received, at: 8)
        if reading.session != ReadingRow.none { try update.bind(Int64(reading.session), at: 9) }
        if reading.origin != ReadingRow.none { try update.bind(Int64(reading.origin), at: 10) }
        if reading.zone != .min { try update.bind(Int64(reading.zone), at: 11) }
        try run(update, reading.identity)
    }

    private func run(_ statement: Statement, _ identity: Identity) throws(SQLiteError) {
        try statement.bind(identity)
        defer { statement.rewind() }
        _ = try statement.step()
    }

    private static let findSQL = "SELECT value, text, received, origin FROM reading WHERE \(CorrectionSQL.identity)"
    private static let replacedSQL =
        "SELECT value, text FROM correction WHERE \(CorrectionSQL.identity) AND received = $6 AND samples IS NULL"
    private static let releaseSQL = "UPDATE reading SET origin = NULL WHERE \(CorrectionSQL.identity)"
    private static let updateSQL = """
        UPDATE reading SET value = $6, text = $7, received = $8, session = $9, origin = $10, zone = $11 WHERE \(CorrectionSQL.identity)
        """
    private static let keepSQL: String = {
        let kept = "time, participant, metric, source, seq, value, text, received, session, origin, zone"
        return "INSERT INTO correction (\(kept), replaced) SELECT \(kept), $6 FROM reading WHERE \(CorrectionSQL.identity)"
    }()
}

extension Statement {
    /// Binds the parameters of `CorrectionSQL.identity`.
    fileprivate func bind(_ identity: Identity) throws(SQLiteError) {
        try bind(identity.time, at: 1)
        try bind(Int64(identity.participant), at: 2)
        try bind(Int64(identity.metric), at: 3)
        try bind(Int64(identity.source), at: 4)
        try bind(Int64(identity.sequence), at: 5)
    }

    /// Whether the columns value and text, the first two, are the reading's.
    fileprivate func holds(_ reading: ReadingRow, _ text: String?) -> Bool {
        guard let text else { return !isNull(0) && real(0) == reading.value }
        return !isNull(1) && self.text(1) == text
    }
}

extension SQLiteConnection {
    /// Counts buckets anew. Of one level no bucket is part of another, so that all are counted before the first is written.
    func recount(_ keys: [RollupKey], _ level: RollupLevel) throws(StoreError) {
        var sums: [(key: RollupKey, aggregate: Aggregate)] = []
        do throws(SQLiteError) {
            let parts = try statement(RollupSQL.parts(level)), removal = try statement(RollupSQL.removal(level))
            for key in keys {
                if let total = try total(of: key, level, parts) { sums.append((key, total)) }
                try removal.bind(key)
                _ = try removal.step()
                removal.rewind()
            }
        } catch {
            throw StoreError(error, operation: "append")
        }
        try add(sums, to: level)
    }

    private func total(of key: RollupKey, _ level: RollupLevel, _ parts: Statement) throws(SQLiteError) -> Aggregate? {
        try parts.bind(key)
        try parts.bind(key.start + level.width, at: 5)
        defer { parts.rewind() }
        var total: Aggregate?
        while try parts.step() {
            let part = level == .minute ? Aggregate(reading: parts) : Aggregate(parts)
            if total == nil { total = part } else { total?.merge(part) }
        }
        return total
    }
}

extension Statement {
    /// Binds the values of `RollupSQL.keyColumns`.
    fileprivate func bind(_ key: RollupKey) throws(SQLiteError) {
        try bind(Int64(key.participant), at: 1)
        try bind(Int64(key.metric), at: 2)
        try bind(Int64(key.source), at: 3)
        try bind(key.start, at: 4)
    }
}

extension Aggregate {
    /// From the columns value, time and seq.
    fileprivate init(reading row: Statement) {
        self.init(
            value: row.real(0), time: Timestamp(microseconds: row.integer(1)), sequence: Int32(truncatingIfNeeded: row.integer(2)))
    }

    /// From the columns of a rollup table.
    fileprivate init(_ row: Statement) {
        self.init(reading: row)
        (count, sum, min, max) = (row.integer(0), row.real(1), row.real(2), row.real(3))
        (first, firstTime) = (row.real(4), Timestamp(microseconds: row.integer(5)))
        firstSequence = Int32(truncatingIfNeeded: row.integer(6))
        (last, lastTime) = (row.real(7), Timestamp(microseconds: row.integer(8)))
        lastSequence = Int32(truncatingIfNeeded: row.integer(9))
    }
}
