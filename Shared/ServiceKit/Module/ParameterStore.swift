import SQLiteDatabase

/// Where parameters that were set while the service ran are kept. The file is made at the first one.
package actor ParameterStore {
    private let path: String?
    private var state: ServiceState?

    /// - Parameter path: the SQLite file; nil keeps values in memory, for tests.
    package init(path: String?) { self.path = path }

    func value(of name: String) async throws -> String? {
        try await opened().read { database in
            let row = try database.statement("SELECT value FROM parameters WHERE name = ?")
            defer { row.reset() }
            try row.bind(name, at: 1)
            return try row.step() ? row.text(0) : nil
        }
    }

    func set(_ name: String, _ value: String) async throws {
        try await opened().transaction { database in
            try database.run(
                "INSERT INTO parameters VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                [.text(name), .text(value)])
        }
    }

    private func opened() throws -> ServiceState {
        if let state { return state }
        let made = try ServiceState(
            path: path ?? ":memory:",
            migrations: [Migration(1, "CREATE TABLE parameters (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID")])
        state = made
        return made
    }
}
