import SQLiteDatabase
import ServiceKit
import VigilSchema

/// What was imported, when, from where and how far: in the service's state file.
///
/// Threading: may be used by several tasks; each call is one transaction.
package struct Ledger: Sendable {
    private let state: ServiceState

    /// Opens or makes the ledger.
    /// - Parameter path: a file's path, or `:memory:`.
    package init(path: String) throws {
        state = try ServiceState(path: path, migrations: Ledger.migrations)
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
            """)
    ]

    private static let columns =
        "id, name, size, digest, profile, recipe, state, started, finished, batches, rows, accepted, rejected, empty, stored, duplicates, "
        + "corrections, refused"

    /// All imports, the oldest first.
    package func all() async throws -> [LedgerEntry] { try await select("ORDER BY started, id", []) }

    /// The import with that id.
    package func entry(id: String) async throws -> LedgerEntry? { try await select("WHERE id = ?", [.text(id)]).first }

    /// The import of that content in that way.
    package func entry(digest: String, recipe: String) async throws -> LedgerEntry? {
        try await select("WHERE digest = ? AND recipe = ?", [.text(digest), .text(recipe)]).first
    }

    /// The latest import under that name.
    package func latest(name: String) async throws -> LedgerEntry? {
        try await select("WHERE name = ? ORDER BY started DESC LIMIT 1", [.text(name)]).first
    }

    /// Writes an entry, new or known; durable when it returns.
    package func save(_ entry: LedgerEntry) async throws {
        try await state.transaction { database in
            let marks = Array(repeating: "?", count: 18).joined(separator: ", ")
            try database.run("INSERT OR REPLACE INTO imports(\(Ledger.columns)) VALUES(\(marks))", Ledger.values(entry))
        }
    }

    private static func values(_ entry: LedgerEntry) -> [SQLiteValue] {
        [
            .text(entry.id), .text(entry.name), .integer(Int64(entry.size)), .text(entry.digest), .text(entry.profile), .text(entry.recipe),
            .text(entry.state.rawValue), .integer(entry.started), entry.finished.map { .integer($0) } ?? .null,
            .integer(Int64(entry.batches)), .integer(Int64(entry.rows)), .integer(Int64(entry.accepted)), .integer(Int64(entry.rejected)),
            .integer(Int64(entry.empty)), .integer(Int64(entry.stored)), .integer(Int64(entry.duplicates)),
            .integer(Int64(entry.corrections)), .integer(Int64(entry.refused)),
        ]
    }

    private func select(_ clause: String, _ values: [SQLiteValue]) async throws -> [LedgerEntry] {
        try await state.read { database in
            let statement = try database.statement("SELECT \(Ledger.columns) FROM imports \(clause)")
            try statement.bind(values)
            var entries: [LedgerEntry] = []
            while try statement.step() { entries.append(Ledger.entry(statement)) }
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
            refused: number(17))
    }
}
