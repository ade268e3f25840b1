import SQLiteDatabase
import ServiceKit
import VigilSchema

/// A ledger in a state file of one machine.
///
/// A worker has an import by asking for it: two processes that bring the same file at once do the same twice, under one id.
package struct SQLiteLedger: Ledger {
    private let state: ServiceState

    /// Opens or makes the ledger.
    /// - Parameter path: a file's path, or `:memory:`.
    package init(path: String) throws {
        state = try ServiceState(path: path, migrations: Self.migrations)
    }

    private static let migrations = [
        Migration(
            1,
            """
            CREATE TABLE imports(
                id TEXT PRIMARY KEY, name TEXT NOT NULL, size INTEGER NOT NULL, digest TEXT NOT NULL, profile TEXT NOT NULL,
                recipe TEXT NOT NULL, state TEXT NOT NULL, started INTEGER NOT NULL, finished INTEGER, batches INTEGER NOT NULL,
                rows INTEGER NOT NULL, accepted INTEGER NOT NULL, rejected INTEGER NOT NULL, empty INTEGER NOT NULL,
                stored INTEGER NOT NULL, duplicates INTEGER NOT NULL, corrections INTEGER NOT NULL, refused INTEGER NOT NULL,
                UNIQUE(digest, recipe)) STRICT;
            CREATE INDEX imports_name ON imports(name);
            """),
        Migration(2, "ALTER TABLE imports ADD COLUMN stored_before INTEGER NOT NULL DEFAULT 0;"),
    ]

    private static let columns =
        "id, name, size, digest, profile, recipe, state, started, finished, batches, rows, accepted, rejected, empty, stored, duplicates, "
        + "corrections, refused, stored_before"

    package func all() async throws -> [LedgerEntry] { try await select("ORDER BY started, id", []) }

    package func entry(id: String) async throws -> LedgerEntry? { try await select("WHERE id = ?", [.text(id)]).first }

    package func latest(name: String) async throws -> LedgerEntry? {
        try await select("WHERE name = ? ORDER BY started DESC LIMIT 1", [.text(name)]).first
    }

    package func add(_ entry: LedgerEntry) async throws -> LedgerEntry {
        let key: [SQLiteValue] = [.text(entry.digest), .text(entry.recipe)]
        if let known = try await select("WHERE digest = ? AND recipe = ?", key).first { return known }
        try await insert("INSERT OR IGNORE", entry)
        return try await select("WHERE digest = ? AND recipe = ?", key).first ?? entry
    }

    package func take(_ id: String, by worker: String) async throws -> LedgerEntry? {
        guard let entry = try await entry(id: id) else { throw ImportError.forgotten }
        return entry
    }

    package func save(_ entry: LedgerEntry, by worker: String) async throws { try await insert("INSERT OR REPLACE", entry) }

    package var renewal: Duration? { nil }
    package func renew(_ id: String, by worker: String) async throws {}
    package func release(_ id: String, by worker: String) async throws {}

    /// Overwrites them in the file and its log, too.
    package func remove(_ ids: [String]) async throws {
        try await state.transaction { database in
            for id in ids { try database.run("DELETE FROM imports WHERE id = ?", [.text(id)]) }
        }
        try await state.wipe()
    }

    private func insert(_ statement: String, _ entry: LedgerEntry) async throws {
        try await state.transaction { database in
            let marks = Array(repeating: "?", count: 19).joined(separator: ", ")
            try database.run("\(statement) INTO imports(\(Self.columns)) VALUES(\(marks))", Self.values(entry))
        }
    }

    private static func values(_ entry: LedgerEntry) -> [SQLiteValue] {
        [
            .text(entry.id), .text(entry.name), .integer(Int64(entry.size)), .text(entry.digest), .text(entry.profile), .text(entry.recipe),
            .text(entry.state.rawValue), .integer(entry.started), entry.finished.map { .integer($0) } ?? .null,
            .integer(Int64(entry.batches)), .integer(Int64(entry.rows)), .integer(Int64(entry.accepted)), .integer(Int64(entry.rejected)),
            .integer(Int64(entry.empty)), .integer(Int64(entry.stored)), .integer(Int64(entry.duplicates)),
            .integer(Int64(entry.corrections)), .integer(Int64(entry.refused)), .integer(Int64(entry.storedBefore)),
        ]
    }

    private func select(_ clause: String, _ values: [SQLiteValue]) async throws -> [LedgerEntry] {
        try await state.read { database in
            let statement = try database.statement("SELECT \(Self.columns) FROM imports \(clause)")
            try statement.bind(values)
            var entries: [LedgerEntry] = []
            while try statement.step() { entries.append(Self.entry(statement)) }
            statement.reset()
            return entries
        }
    }

    private static func entry(_ row: Statement) -> LedgerEntry {
        let number = { (column: Int) in Int(row.integer(column)) }
        return LedgerEntry(
            id: row.text(0), name: row.text(1), size: number(2), digest: row.text(3), profile: row.text(4), recipe: row.text(5),
            state: LedgerEntry.State(rawValue: row.text(6)) ?? .started, started: row.integer(7),
            finished: row.isNull(8) ? nil : row.integer(8), batches: number(9), rows: number(10), accepted: number(11),
            rejected: number(12), empty: number(13), stored: number(14), duplicates: number(15), corrections: number(16),
            refused: number(17), storedBefore: number(18))
    }
}
