import AlertRules
import SQLiteDatabase

/// The service's SQLite file: the journal of what went into the engine, checkpoints of its state, and the outbox.
///
/// Guarantees: a `commit` is whole or not at all. One with messages to publish is synced to the disk; one that only
/// notes readings survives a killed process, and with the next that is synced also a power cut. Threading: as `Database`.
final class AlertStore {
    /// A message that is to be published.
    struct Outgoing: Sendable, Hashable {
        var id: Int64 = 0
        var topic: String
        var payload: [UInt8]
        var isRetained: Bool
    }

    private static let version: Int64 = 1
    private static let schema = """
        CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
        CREATE TABLE rules (place INTEGER PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL);
        CREATE TABLE participants (place INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, state BLOB NOT NULL);
        CREATE TABLE journal (id INTEGER PRIMARY KEY, record BLOB NOT NULL);
        CREATE TABLE outbox (id INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, payload BLOB NOT NULL, retained INTEGER NOT NULL);
        CREATE TABLE notices (id INTEGER PRIMARY KEY AUTOINCREMENT, event BLOB NOT NULL);
        CREATE TABLE history (id INTEGER PRIMARY KEY, participant TEXT NOT NULL, rule TEXT NOT NULL, event BLOB NOT NULL);
        CREATE INDEX history_of ON history (participant, rule, id);
        PRAGMA user_version = 1;
        """

    private let database: Database
    private var isSynced = true

    init(path: String) throws {
        database = try Database(path: path, durability: .full)
        let row = try database.statement("PRAGMA user_version")
        let present = try row.step() ? row.integer(0) : 0
        row.reset()
        guard present <= Self.version else {
            throw SQLiteError(code: 1, operation: "open", message: "\(path) was written by a newer version of this program")
        }
        if present == 0 { try database.transaction { try database.execute(Self.schema) } }
    }

    /// Notes what went into the engine and what came out; gives the messages their ids.
    func commit(
        _ record: JournalRecord, publish messages: [Outgoing], notices: [[UInt8]], history: [(String, String, [UInt8])], published: Int64
    ) throws -> [Outgoing] {
        try sync(!messages.isEmpty || !notices.isEmpty)
        return try database.transaction {
            if !record.isEmpty { try database.run("INSERT INTO journal (record) VALUES (?)", [.blob(record.encoded())]) }
            if published > 0 { try database.run("DELETE FROM outbox WHERE id <= ?", [.integer(published)]) }
            for notice in notices { try database.run("INSERT INTO notices (event) VALUES (?)", [.blob(notice)]) }
            for (participant, rule, event) in history {
                try database.run(
                    "INSERT INTO history (participant, rule, event) VALUES (?, ?, ?)", [.text(participant), .text(rule), .blob(event)])
            }
            return try messages.map(insert)
        }
    }

    private func insert(_ message: Outgoing) throws -> Outgoing {
        try database.run(
            "INSERT INTO outbox (topic, payload, retained) VALUES (?, ?, ?)",
            [.text(message.topic), .blob(message.payload), .integer(message.isRetained ? 1 : 0)])
        var kept = message
        kept.id = database.lastInsertedRow
        return kept
    }

    /// Messages that were not published when the process ended, in order.
    func unpublished() throws -> [Outgoing] {
        try rows("SELECT id, topic, payload, retained FROM outbox ORDER BY id") {
            Outgoing(id: $0.integer(0), topic: $0.text(1), payload: $0.blob(2), isRetained: $0.integer(3) != 0)
        }
    }

    /// Replaces the journal by the state that it led to. A participant without a name is forgotten.
    func checkpoint(_ participants: [(place: Int, name: String, state: [UInt8])], clock: [UInt8], batches: [UInt8], rules: [RuleFile])
        throws
    {
        try sync(true)
        try database.transaction {
            // All away first: a name may have come to another's place.
            for participant in participants {
                try database.run("DELETE FROM participants WHERE place = ?", [.integer(Int64(participant.place))])
            }
            for participant in participants where !participant.name.isEmpty {
                try database.run(
                    "INSERT INTO participants VALUES (?, ?, ?)",
                    [.integer(Int64(participant.place)), .text(participant.name), .blob(participant.state)])
            }
            try setMeta("clock", clock)
            try setMeta("batches", batches)
            try database.run("DELETE FROM rules")
            for file in rules { try database.run("INSERT INTO rules (name, text) VALUES (?, ?)", [.text(file.name), .text(file.text)]) }
            try database.run("DELETE FROM journal")
            try database.run("DELETE FROM history WHERE id <= (SELECT max(id) FROM history) - 200000")
        }
    }

    func rules() throws -> [RuleFile] {
        try rows("SELECT name, text FROM rules ORDER BY place") { RuleFile(name: $0.text(0), text: $0.text(1)) }
    }

    func meta(_ name: String) throws -> [UInt8]? {
        let row = try database.statement("SELECT value FROM meta WHERE name = ?")
        try row.bind(name, at: 1)
        defer { row.reset() }
        return try row.step() ? row.blob(0) : nil
    }

    func participants() throws -> [(place: Int, name: String, state: [UInt8])] {
        try rows("SELECT place, name, state FROM participants ORDER BY place") {
            (place: Int($0.integer(0)), name: $0.text(1), state: $0.blob(2))
        }
    }

    func journal() throws -> [[UInt8]] { try rows("SELECT record FROM journal ORDER BY id") { $0.blob(0) } }

    /// The newest events of an alert, or of all, newest first.
    func history(participant: String?, rule: String?, limit: Int) throws -> [[UInt8]] {
        let row = try database.statement(
            "SELECT event FROM history WHERE (?1 IS NULL OR participant = ?1) AND (?2 IS NULL OR rule = ?2) ORDER BY id DESC LIMIT ?3")
        try row.bind(participant.map { .text($0) } ?? .null, at: 1)
        try row.bind(rule.map { .text($0) } ?? .null, at: 2)
        try row.bind(Int64(limit), at: 3)
        defer { row.reset() }
        var events: [[UInt8]] = []
        while try row.step() { events.append(row.blob(0)) }
        return events
    }

    /// Events that notifiers have not delivered yet, after an id.
    func notices(after id: Int64, limit: Int) throws -> [(id: Int64, event: [UInt8])] {
        let row = try database.statement("SELECT id, event FROM notices WHERE id > ? ORDER BY id LIMIT ?")
        try row.bind(id, at: 1)
        try row.bind(Int64(limit), at: 2)
        defer { row.reset() }
        var found: [(id: Int64, event: [UInt8])] = []
        while try row.step() { found.append((row.integer(0), row.blob(1))) }
        return found
    }

    /// Notes the notifiers' state and forgets the events that it covers.
    func keepNotifier(state: [UInt8], coveredTo id: Int64) throws {
        try sync(true)
        try database.transaction {
            try setMeta("notifier", state)
            try database.run("DELETE FROM notices WHERE id <= ?", [.integer(id)])
        }
    }

    /// Notes how the machine's clock and the engine's belong together.
    func keep(time: [UInt8]) throws {
        try sync(true)
        try setMeta("time", time)
    }

    private func setMeta(_ name: String, _ value: [UInt8]) throws {
        try database.run(
            "INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", [.text(name), .blob(value)])
    }

    private func rows<Row>(_ sql: String, _ read: (Statement) -> Row) throws -> [Row] {
        let statement = try database.statement(sql)
        defer { statement.reset() }
        var rows: [Row] = []
        while try statement.step() { rows.append(read(statement)) }
        return rows
    }

    private func sync(_ isWanted: Bool) throws(SQLiteError) {
        guard isWanted != isSynced else { return }
        try database.execute("PRAGMA synchronous = \(isWanted ? "FULL" : "NORMAL")")
        isSynced = isWanted
    }
}
