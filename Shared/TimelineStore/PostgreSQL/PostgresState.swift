package import Shares

/// The state of a service in PostgreSQL, in a schema of its own, so that replicas can take each other's place.
///
/// It may be a database of its own or the timeline's. One connection, opened when it is first needed and again after it was lost; what is written for a
/// share is committed only as long as nobody else has claimed it. Threading: any number of tasks may call it; one after the other has its turn.
package struct PostgresState: Sendable {
    /// A service's tables. All of it is the program's own text.
    package struct Schema: Sendable {
        /// A plain name, which is also that of the role with the least rights.
        let name: String
        /// Step i brings the tables from version i to i + 1. A step that was released never changes.
        let migrations: [String]
        /// The tables to which the role may add, but whose rows it may neither change nor remove.
        let onlyAddedTo: [String]

        package init(name: String, migrations: [String], onlyAddedTo: [String] = []) {
            (self.name, self.migrations, self.onlyAddedTo) = (name, migrations, onlyAddedTo)
        }
    }

    /// The leases of those who share the work on this state.
    package let leases: PostgresLeases
    private let thread: DatabaseThread<PostgresConnection>
    private let limit: Duration

    /// - Parameters:
    ///   - limit: the time within which the database has to answer.
    ///   - leases: the same for a look at leases.
    ///   - migrates: whether the tables are made, or brought to the program's version, where they are not.
    package init(
        _ configuration: PostgresConfiguration, _ schema: Schema, limit: Duration = .seconds(4), leases: Duration = AnswerLimits().leases,
        migrates: Bool = true
    ) {
        self.limit = limit
        let connect = { @Sendable (deadline: AnswerDeadline) throws(StoreError) in
            let connection = try PostgresConnection(configuration, readOnly: false, schema: schema.name)
            deadline.begin(AnswerLimits().change, connection.interrupter)
            try connection.letsGoWhenFrozen()
            try StateMigrator(connection: connection, schema: schema, migrates: migrates).run()
            return connection
        }
        self.leases = PostgresLeases(limit: leases, connect: connect)
        // Not for long: what is asked here waits for nobody, and who waits for it is to hear soon that the database is back.
        thread = DatabaseThread(label: "state", deadline: AnswerDeadline(mostDoublings: 1), connect: connect)
    }

    /// Runs `body` in a transaction of its own, committed only while the lease is held.
    package func transaction<Result: Sendable>(
        holding lease: LeaseHold? = nil, _ body: @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await thread.perform(within: limit) { connection throws(StoreError) in
            connection.lease = lease
            defer { connection.lease = nil }
            return try connection.transaction { () throws(StoreError) in try body(connection) }
        }
    }

    /// Reads; each query sees what is committed when it begins.
    package func read<Result: Sendable>(_ body: @Sendable (any SQLConnection) throws(StoreError) -> Result) async throws(StoreError)
        -> Result
    {
        try await thread.perform(within: limit) { connection throws(StoreError) in try body(connection) }
    }

    /// Runs statements in one transaction and one round trip, committed only while the lease is held.
    package func commit(_ statements: [SQLStatement], holding lease: LeaseHold) async throws(StoreError) {
        try await thread.perform(within: limit) { connection throws(StoreError) in
            connection.lease = lease
            defer { connection.lease = nil }
            try connection.commit(statements)
        }
    }

    /// Overwrites what was removed, as far as the role may.
    package func wipe() async throws(StoreError) {
        _ = try await thread.perform(within: AnswerLimits().change) { connection throws(StoreError) in
            try PostgresWipe(connection: connection).run()
        }
    }

    /// Lets go of the connection.
    package func close() async { await thread.close() }
}

/// A statement with its values.
package struct SQLStatement: Sendable {
    let sql: String
    let values: [SQLValue]

    /// - Parameter sql: with the parameters `$1`, `$2`, …; the same text each time, as it is prepared and kept.
    package init(_ sql: String, _ values: [SQLValue]) { (self.sql, self.values) = (sql, values) }
}

extension PostgresConnection {
    /// Runs statements in one transaction and one round trip, together with the look at the lease.
    fileprivate func commit(_ statements: [SQLStatement]) throws(StoreError) {
        let own = statements.map { Command(sql: $0.sql, parameters: $0.values.map(PostgresParameter.init)) }
        do throws(StoreError) {
            try pipeline([Command(sql: Self.beginWriting)] + own + commitCommands)
        } catch {
            if isInTransaction { try? execute("ROLLBACK") }
            throw error
        }
    }
}

/// Brings a service's schema to the program's version, while other instances wait.
private struct StateMigrator {
    let connection: PostgresConnection
    let schema: PostgresState.Schema
    let migrates: Bool

    func run() throws(StoreError) {
        guard try version() < schema.migrations.count else { return }
        guard migrates else {
            throw StoreError(
                .misconfigured, operation: "open", detail: "the database has no \(schema.name) of this version: start the service first")
        }
        try connection.transaction { () throws(StoreError) in
            try AdvisoryLock.state.hold(on: connection)
            // Made only where it is missing: a role that may make none opens a database that is at the last version.
            if try connection.rows("SELECT count(to_regnamespace('\(schema.name)'))")[0].integer(0) == 0 {
                try connection.execute("CREATE SCHEMA \(schema.name)")
            }
            if try !hasVersion() { try connection.execute("CREATE TABLE schema_version (version integer NOT NULL)") }
            let (present, newest) = (try version(), schema.migrations.count)
            guard present < newest else { return }
            for step in present..<newest { try connection.execute(schema.migrations[step]) }
            try connection.execute("DELETE FROM schema_version; INSERT INTO schema_version VALUES (\(newest));" + rights)
        }
    }

    private func hasVersion() throws(StoreError) -> Bool {
        try connection.rows("SELECT count(to_regclass('\(schema.name).schema_version'))")[0].integer(0) == 1
    }

    private func version() throws(StoreError) -> Int {
        guard try hasVersion() else { return 0 }
        let version = Int(try connection.rows("SELECT coalesce(max(version), 0) FROM schema_version")[0].integer(0))
        try SchemaVersion.check(found: version, known: schema.migrations.count)
        return version
    }

    /// A role that may read and change the rows of this schema, and nothing else. Who migrates may not have the right to make one; then an
    /// administrator does.
    private var rights: String {
        """
        DO $$
        BEGIN
            BEGIN
                IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '\(schema.name)') THEN CREATE ROLE \(schema.name) NOLOGIN; END IF;
            EXCEPTION WHEN duplicate_object OR unique_violation OR insufficient_privilege THEN NULL;
            END;
            IF EXISTS (SELECT FROM pg_roles WHERE rolname = '\(schema.name)') THEN
                GRANT USAGE ON SCHEMA \(schema.name) TO \(schema.name);
                GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(schema.name) TO \(schema.name);
                REVOKE INSERT, UPDATE, DELETE ON schema_version FROM \(schema.name);
                \(schema.onlyAddedTo.map { "REVOKE UPDATE, DELETE ON \($0) FROM \(schema.name);" }.joined(separator: " "))
            END IF;
        END $$;
        """
    }
}
