/// Brings a SQLite file to the program's schema, while other processes wait.
struct SQLiteMigrator {
    let connection: SQLiteConnection
    let rollups: Bool?

    func run() throws(StoreError) {
        try connection.transaction { () throws(StoreError) in
            try migrate()
            connection.keepsRollups = try RollupRebuild(connection: connection).follow(wanted: rollups)
        }
    }

    private func migrate() throws(StoreError) {
        let newest = SQLiteSchema.migrations.count
        let version = Int(try connection.rows("PRAGMA user_version")[0].integer(0))
        try SchemaVersion.check(found: version, known: newest)
        guard version < newest else { return }
        for step in version..<newest { try connection.execute(SQLiteSchema.migrations[step]) }
        try connection.execute("PRAGMA user_version = \(newest)")
    }
}
