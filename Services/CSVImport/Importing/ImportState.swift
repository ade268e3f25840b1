import Foundation
import ServiceKit
import Settings
import Shares
package import TimelineStore

/// The importer's durable state: the ledger, and the uploaded files.
package enum ImportState {
    static let setting = StateSettings(
        help: """
            The PostgreSQL database of the ledger, such as postgresql://user@host/database, which several \
            machines can share; by default a file in --state-folder.
            """)

    /// The name of the schema and of the role with the fewest rights.
    package static let schema = PostgresState.Schema(name: "vigil_import", migrations: [PostgresLeases.schema + tables, polls])

    private static let tables = """
        CREATE TABLE imports (
            id text PRIMARY KEY, name text NOT NULL, size bigint NOT NULL, digest text NOT NULL, profile text NOT NULL,
            recipe text NOT NULL, state text NOT NULL, started bigint NOT NULL, finished bigint, batches bigint NOT NULL,
            rows bigint NOT NULL, accepted bigint NOT NULL, rejected bigint NOT NULL, empty bigint NOT NULL, stored bigint NOT NULL,
            duplicates bigint NOT NULL, corrections bigint NOT NULL, refused bigint NOT NULL, stored_before bigint NOT NULL,
            worker text, works_until timestamptz, UNIQUE (digest, recipe)) WITH (fillfactor = 70);
        CREATE INDEX imports_name ON imports (name);
        COMMENT ON TABLE imports IS 'What was imported, when, from where and how far: the ledger.';
        COMMENT ON COLUMN imports.worker IS 'Whoever works at it, until works_until.';
        CREATE TABLE job (id text PRIMARY KEY, record text NOT NULL);
        COMMENT ON TABLE job IS 'A file on its way into the timeline, as JSON.';
        CREATE TABLE undo (id text PRIMARY KEY, record text NOT NULL);
        COMMENT ON TABLE undo IS 'An import that is to be taken out again, or was, as JSON.';
        CREATE TABLE job_file (
            job text NOT NULL REFERENCES job ON DELETE CASCADE, kind text NOT NULL, length bigint NOT NULL, PRIMARY KEY (job, kind));
        COMMENT ON TABLE job_file IS 'What was sent, and cells that were refused: so many bytes are whole.';
        CREATE TABLE piece (
            job text NOT NULL, kind text NOT NULL, start bigint NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (job, kind, start),
            FOREIGN KEY (job, kind) REFERENCES job_file ON DELETE CASCADE);
        COMMENT ON TABLE piece IS 'A part of a file, from a byte on.';

        """

    private static let polls = """
        CREATE TABLE poll (name text PRIMARY KEY, record text NOT NULL);
        COMMENT ON TABLE poll IS 'How far a polled source was read, as JSON.';

        """

    /// The time limit of a query, which may carry a piece of a file or the removal of a whole one.
    private static let limit = Duration.seconds(15)
    /// The entries that are moved in one transaction.
    private static let portion = 200

    /// The state in a database.
    static func state(_ database: StateSettings.Database) -> PostgresState {
        PostgresState(PostgresConfiguration(connection: database.uri, password: database.password), schema, limit: limit)
    }

    /// The ledger of the settings. The ledger of this machine's file is moved to the database, once.
    /// - Parameter patience: how long an absent database is awaited.
    static func ledger(_ configuration: Configuration, patience: Duration = .zero) async throws -> any Ledger {
        let path = ImportCommand.ledgerPath(stateFolder: try configuration[CommonSettings.stateFolder])
        guard let database = try setting.database(configuration) else { return try SQLiteLedger(path: path) }
        let ledger = PostgresLedger(state(database), patience: patience)
        if FileManager.default.fileExists(atPath: path) { _ = try await adopt(SQLiteLedger(path: path), into: ledger) }
        return ledger
    }

    /// Moves a former ledger's entries.
    /// - Returns: their number.
    static func adopt(_ former: SQLiteLedger, into ledger: PostgresLedger) async throws -> Int {
        let entries = try await former.all()
        for start in stride(from: 0, to: entries.count, by: portion) {
            try await ledger.adopt(Array(entries[start..<min(start + portion, entries.count)]))
        }
        if !entries.isEmpty { try await former.remove(entries.map(\.id)) }
        return entries.count
    }
}

/// Repeats an operation each second while a database is away.
/// - Parameter patience: how long.
func persistently<Result>(for patience: Duration, _ body: () async throws -> Result) async throws -> Result {
    let end = ContinuousClock.now + patience
    while true {
        do { return try await body() } catch let error as StoreError where error.isRetryable && ContinuousClock.now < end {
            try await ContinuousClock().sleep(for: .seconds(1))
        }
    }
}
