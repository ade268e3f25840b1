import SQLiteDatabase
import ServiceKit
import TimelineStore
import VigilSchema

/// A ledger in a state file of one machine.
///
/// Every worker gets an import that it asks for. Two processes that import the same file at once do the same twice,
/// under one id.
package struct SQLiteLedger: Ledger {
    private let state: ServiceState

    /// Opens or creates the ledger.
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

    package func all() async throws -> [LedgerEntry] { try await select("ORDER BY started, id", []) }

    package func entry(id: String) async throws -> LedgerEntry? { try await select("WHERE id = $1", [.text(id)]).first }

    package func latest(name: String) async throws -> LedgerEntry? {
        try await select("WHERE name = $1 ORDER BY started DESC LIMIT 1", [.text(name)]).first
    }

    package func add(_ entry: LedgerEntry) async throws -> LedgerEntry {
        let key: [SQLValue] = [.text(entry.digest), .text(entry.recipe)]
        if let known = try await select("WHERE digest = $1 AND recipe = $2", key).first { return known }
        try await state.transaction { _ = try $0.connection.run(LedgerEntry.insertion, entry.row) }
        return try await select("WHERE digest = $1 AND recipe = $2", key).first ?? entry
    }

    package func take(_ id: String, by worker: String) async throws -> LedgerEntry? {
        guard let entry = try await entry(id: id) else { throw ImportError.forgotten }
        return entry
    }

    package func save(_ entry: LedgerEntry, by worker: String) async throws {
        try await state.transaction { _ = try $0.connection.run("INSERT OR REPLACE INTO \(LedgerEntry.values)", entry.row) }
    }

    package var renewal: Duration? { nil }
    package func renew(_ id: String, by worker: String) async throws {}
    package func release(_ id: String, by worker: String) async throws {}

    /// Also overwrites them in the file and its log.
    package func remove(_ ids: [String]) async throws {
        try await state.transaction { database in
            for id in ids { try database.run("DELETE FROM imports WHERE id = ?", [.text(id)]) }
        }
        try await state.wipe()
    }

    private func select(_ clause: String, _ values: [SQLValue]) async throws -> [LedgerEntry] {
        try await state.read { try LedgerEntry.select(clause, values, $0.connection) }
    }
}
