/// Brings a PostgreSQL database to the program's schema, while other instances wait.
struct PostgresMigrator {
    let connection: PostgresConnection
    let rollups: Bool?

    func run() throws(StoreError) {
        try connection.transaction { () throws(StoreError) in
            try connection.execute("SELECT pg_advisory_xact_lock(\(Partitions.lock))")
            try migrate()
            connection.keepsRollups = try RollupRebuild(connection: connection).follow(wanted: rollups)
        }
        connection.months = try Partitions(connection: connection).existing()
    }

    private func migrate() throws(StoreError) {
        // Made only where it is missing: a role that may only read opens a database that is at the last version.
        if try connection.rows("SELECT count(to_regclass('schema_version'))")[0].integer(0) == 0 {
            try connection.execute("CREATE TABLE schema_version (version integer NOT NULL)")
        }
        let newest = PostgresSchema.migrations.count
        let version = Int(try connection.rows("SELECT coalesce(max(version), 0) FROM schema_version")[0].integer(0))
        try SchemaVersion.check(found: version, known: newest)
        guard version < newest else { return }
        for step in version..<newest { try connection.execute(PostgresSchema.migrations[step]) }
        try connection.execute("DELETE FROM schema_version; INSERT INTO schema_version VALUES (\(newest))")
    }
}
