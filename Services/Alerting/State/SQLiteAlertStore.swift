import AlertRules
import SQLiteDatabase

/// A process's SQLite file with the state of its alert core.
///
/// A commit is durable when it returns. One with events is synced to the disk; one with readings only survives a killed
/// process and, after the next sync, a power cut. Threading: as `Database`.
final class SQLiteAlertStore: AlertStore {
    /// The number of transitions in the history.
    private static let historyLength: Int64 = 200_000
    private static let version: Int64 = 2
    private static let schema = """
        CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
        CREATE TABLE rules (place INTEGER PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL);
        CREATE TABLE participants (place INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, state BLOB NOT NULL);
        CREATE TABLE journal (id INTEGER PRIMARY KEY, record BLOB NOT NULL);
        CREATE TABLE events (
            id INTEGER PRIMARY KEY AUTOINCREMENT, kind INTEGER NOT NULL, participant TEXT NOT NULL, rule TEXT NOT NULL, topic TEXT NOT NULL,
            content BLOB NOT NULL);
        CREATE INDEX events_of ON events (participant, rule, id) WHERE kind < 2;
        CREATE TABLE notifiers (name TEXT PRIMARY KEY, covered INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE notifier_groups (notifier TEXT, name TEXT, state BLOB NOT NULL, PRIMARY KEY (notifier, name)) WITHOUT ROWID;
        """
    let database: Database
    let history: any AlertHistory
    private var isSynced = true
    /// The number of the last entry that the broker has for certain.
    private var published: Int64 = 0

    init(path: String) throws {
        // Nobody else writes, so a locked file is reported soon and alarms wait no longer.
        database = try Database(path: path, durability: .full, lockTimeout: 1000)
        history = SQLiteHistory(path: path)
        let row = try database.statement("PRAGMA user_version")
        let present = try row.step() ? row.integer(0) : 0
        row.reset()
        guard present <= Self.version else {
            throw SQLiteError(code: 1, operation: "open", message: "\(path) was written by a newer version of this program")
        }
        guard present == 0 || present == Self.version else {
            throw SQLiteError(code: 1, operation: "open", message: "\(path) was written before version 0.2.0; move it away to begin anew")
        }
        if present == 0 {
            try database.transaction {
                try database.execute(Self.schema)
                try database.execute("PRAGMA user_version = \(Self.version)")
            }
        }
        published = try number("SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'published'") ?? 0
    }

    func commit(_ record: JournalRecord, _ entries: [AlertEntry], published reached: Int64, checkpoint: AlertCheckpoint?) throws
        -> [AlertEntry]
    {
        try sync(!entries.isEmpty || checkpoint != nil)
        let kept = try database.transaction {
            if !record.isEmpty { try database.run("INSERT INTO journal (record) VALUES (?)", [.blob(record.encoded())]) }
            if reached > published { try forget(upTo: reached) }
            let kept = try entries.map(insert)
            if let checkpoint { try write(checkpoint) }
            return kept
        }
        published = max(published, reached)
        return kept
    }

    private func forget(upTo reached: Int64) throws {
        try database.run("DELETE FROM events WHERE id > ? AND id <= ? AND kind >= 2", [.integer(published), .integer(reached)])
        try database.run(Self.setMeta, [.text("published"), .integer(reached)])
    }

    private func insert(_ entry: AlertEntry) throws -> AlertEntry {
        try database.run(
            "INSERT INTO events (kind, participant, rule, topic, content) VALUES (?, ?, ?, ?, ?)",
            [.integer(entry.kind.rawValue), .text(entry.participant), .text(entry.rule), .text(entry.topic), .blob(entry.content)])
        var kept = entry
        kept.id = database.lastInsertedRow
        return kept
    }

    func unpublished() throws -> [AlertEntry] {
        try database.rows("\(Self.entry) WHERE id > ? ORDER BY id", [.integer(published)], Self.read)
    }

    private func write(_ checkpoint: AlertCheckpoint) throws {
        // Deletes first, because a name may have moved to another index.
        for index in checkpoint.changed { try database.run("DELETE FROM participants WHERE place = ?", [.integer(Int64(index))]) }
        for participant in checkpoint.changed.lazy.map(checkpoint.participant) where !participant.name.isEmpty {
            try database.run(
                "INSERT INTO participants VALUES (?, ?, ?)",
                [.integer(Int64(participant.index)), .text(participant.name), .blob(participant.state)])
        }
        try database.run(Self.setMeta, [.text("clock"), .blob(checkpoint.clock)])
        try database.run(Self.setMeta, [.text("batches"), .blob(checkpoint.batches)])
        try database.run("DELETE FROM rules")
        for file in checkpoint.rules {
            try database.run("INSERT INTO rules (name, text) VALUES (?, ?)", [.text(file.name), .text(file.text)])
        }
        try database.run("DELETE FROM journal")
        try trimHistory()
    }

    /// Deletes old transitions, but never the newest of a present alert.
    private func trimHistory() throws {
        try database.run(
            """
            DELETE FROM events WHERE id <= (SELECT max(id) FROM events) - ? AND id <= ? AND kind < 2 AND (kind = 1 OR EXISTS (
                SELECT 1 FROM events AS newer
                WHERE newer.participant = events.participant AND newer.rule = events.rule AND newer.id > events.id AND newer.kind < 2))
            """, [.integer(Self.historyLength), .integer(published)])
    }

    func rules() throws -> [RuleFile] {
        try database.rows("SELECT name, text FROM rules ORDER BY place") { RuleFile(name: $0.text(0), text: $0.text(1)) }
    }

    func meta(_ name: String) throws -> [UInt8]? {
        try database.rows("SELECT value FROM meta WHERE name = ?", [.text(name)]) { $0.blob(0) }.first
    }

    func eachParticipant(_ body: (StoredParticipant) throws -> Void) throws {
        try each("SELECT place, name, state FROM participants ORDER BY place") {
            try body(StoredParticipant(index: Int($0.integer(0)), name: $0.text(1), state: $0.blob(2)))
        }
    }

    func eachRecord(_ body: ([UInt8]) throws -> Void) throws { try each("SELECT record FROM journal ORDER BY id") { try body($0.blob(0)) } }

    func keep(time: [UInt8]) throws {
        try sync(true)
        try database.run(Self.setMeta, [.text("time"), .blob(time)])
    }

    private func sync(_ isWanted: Bool) throws(SQLiteError) {
        guard isWanted != isSynced else { return }
        try database.execute("PRAGMA synchronous = \(isWanted ? "FULL" : "NORMAL")")
        isSynced = isWanted
    }
}

extension SQLiteAlertStore {
    private static let setMeta = "INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
    private static let entry = "SELECT id, kind, participant, rule, topic, content FROM events"

    private static func read(_ row: Statement) -> AlertEntry {
        AlertEntry(
            id: row.integer(0), kind: AlertEntry.Kind(rawValue: row.integer(1)) ?? .message, participant: row.text(2), rule: row.text(3),
            topic: row.text(4), content: row.blob(5))
    }

    func transitions(after id: Int64, limit: Int) throws -> [AlertEntry] {
        try database.rows("\(Self.entry) WHERE id > ? AND kind < 2 ORDER BY id LIMIT ?", [.integer(id), .integer(Int64(limit))], Self.read)
    }

    func transitions(_ ids: [Int64]) throws -> [Int64: AlertEntry] {
        var found: [Int64: AlertEntry] = [:]
        for id in ids { found[id] = try database.rows("\(Self.entry) WHERE id = ? AND kind < 2", [.integer(id)], Self.read).first }
        return found
    }

    func present() throws -> [AlertEntry] {
        try database.rows(
            """
            \(Self.entry) WHERE kind = 0 AND id = (
                SELECT max(id) FROM events AS newest
                WHERE newest.participant = events.participant AND newest.rule = events.rule AND newest.kind < 2)
            ORDER BY id
            """, [], Self.read)
    }

    func lastEntry() throws -> Int64 { try number("SELECT max(id) FROM events") ?? 0 }

    func cursor(of notifier: String) throws -> Int64? {
        try number("SELECT covered FROM notifiers WHERE name = ?", [.text(notifier)])
    }

    func groups(of notifier: String) throws -> [(name: String, state: [UInt8])] {
        try database.rows("SELECT name, state FROM notifier_groups WHERE notifier = ?", [.text(notifier)]) { ($0.text(0), $0.blob(1)) }
    }

    func keep(notifier: String, coveredTo id: Int64, _ groups: [(name: String, state: [UInt8]?)]) throws {
        try sync(true)
        try database.transaction {
            try database.run(
                "INSERT INTO notifiers VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET covered = excluded.covered",
                [.text(notifier), .integer(id)])
            for (name, state) in groups {
                if let state {
                    try database.run(
                        "INSERT OR REPLACE INTO notifier_groups VALUES (?, ?, ?)", [.text(notifier), .text(name), .blob(state)])
                } else {
                    try database.run("DELETE FROM notifier_groups WHERE notifier = ? AND name = ?", [.text(notifier), .text(name)])
                }
            }
        }
    }

    private func number(_ sql: String, _ values: [SQLiteValue] = []) throws -> Int64? {
        try database.rows(sql, values) { $0.isNull(0) ? nil : $0.integer(0) }.first ?? nil
    }

    private func each(_ sql: String, _ body: (Statement) throws -> Void) throws {
        let statement = try database.statement(sql)
        defer { statement.reset() }
        while try statement.step() { try body(statement) }
    }
}
