package import SQLiteDatabase
package import VigilSchema

/// The timeline in one SQLite file: the embedded default.
///
/// One thread writes, one reads, and another reads what may take long; readers see the last commit and wait for nobody. A commit is on disk when `append` returns.
package struct SQLiteStore: ThreadedStore {
    let writer: DatabaseThread<SQLiteConnection>
    let reader: DatabaseThread<SQLiteConnection>
    let longReader: DatabaseThread<SQLiteConnection>

    /// - Parameters:
    ///   - path: the file, made where it is missing; its folder must exist.
    ///   - options: what is kept besides the observations.
    package init(path: String, options: StoreOptions = StoreOptions()) {
        writer = DatabaseThread(label: "timeline writer") { _ throws(StoreError) in
            let connection = try SQLiteConnection(path: path, durability: .full, readOnly: false)
            try SQLiteMigrator(connection: connection, rollups: options.rollups).run()
            return connection
        }
        let connect = { @Sendable (_: AnswerDeadline) throws(StoreError) in
            try SQLiteConnection(path: path, durability: .full, readOnly: true)
        }
        reader = DatabaseThread(label: "timeline reader", connect: connect)
        longReader = DatabaseThread(label: "timeline long reader", connect: connect)
    }

    package func append(_ batches: [ObservationBatch]) async throws(StoreError) -> [AppendCounts] {
        try await writer.perform(within: limits.change) { connection throws(StoreError) in
            try SQLiteAppend(connection: connection).run(batches)
        }
    }

    /// The log in front of the file holds pages as they were before, and the file does until the log is written back.
    package func wipeRemoved() async throws(StoreError) -> [String] {
        try await writer.perform(within: limits.change) { connection throws(StoreError) in
            for _ in 0..<20 where try connection.rows("PRAGMA wal_checkpoint(TRUNCATE)").first?.integer(0) == 0 { return [] }
            throw StoreError(
                .conflict, operation: "erase",
                detail: "all is removed, but somebody reads the database, so that its log could not be wiped: ask again")
        }
    }
}

extension SQLiteConnection: StoreConnection {
    func forget() { dimensions.removeAll() }
}

/// A SQLite file as a store's connection.
final class SQLiteConnection: SQLConnection {
    let database: Database
    /// Not before it is needed: a service's state holds no waveforms.
    private(set) lazy var zstd = ZstdContext()
    var dimensions = DimensionCache()
    /// By their SQL as the store writes it, with `$`.
    private var statements: [String: Statement] = [:]
    /// A Boolean value that indicates whether the last append met known identities: then the next one expects some.
    var expectsRepetitions = false
    /// A Boolean value that indicates whether rollups are kept, as the migrator found or made it.
    var keepsRollups = true

    init(path: String, durability: Database.Durability, readOnly: Bool) throws(StoreError) {
        do {
            database = try Database(path: path, durability: durability, readOnly: readOnly)
            // 6 MB for who writes: the inner pages of the rollups' trees stay in memory. Who reads shares the system's cache with everybody, and has
            // 1 MB: there are several, which would come to more than the whole service may take.
            try database.execute("PRAGMA cache_size = \(readOnly ? -1000 : -6000)")
            // 32 MB of log before it goes into the file: the rollups of neighbouring seconds are the same pages, written back once.
            try database.execute("PRAGMA wal_autocheckpoint = 8000")
            // What is erased must not be found in the file.
            try database.execute("PRAGMA secure_delete = ON")
        } catch {
            throw StoreError(error, operation: "connect")
        }
    }

    /// A file that its service has opened.
    init(_ database: Database) { self.database = database }

    static var beginWriting: String { "BEGIN IMMEDIATE" }
    static var lockingClause: String { "" }

    static func daily(where condition: String) -> String { SQLiteViews.daily(where: condition) }

    static func elements(of parameter: String) -> String { "SELECT value FROM json_each(\(parameter))" }

    static func moment(_ column: String, plus seconds: Int) -> String { "(\(column) + \(Int64(seconds) * 1_000_000))" }

    static let tableSizes = """
        SELECT coalesce(m.tbl_name, s.name), CAST(sum(s.pgsize) AS bigint) FROM dbstat s LEFT JOIN sqlite_schema m ON m.name = s.name
        WHERE s.aggregate = 1 GROUP BY 1
        """

    static func bucketStart(_ column: String, _ level: RollupLevel) -> String {
        "\(column) - ((\(column) % \(level.width)) + \(level.width)) % \(level.width)"
    }

    var isInTransaction: Bool { database.isInTransaction }

    func rows(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> [SQLRow] {
        do {
            let statement = try prepared(sql, values)
            defer { statement.reset() }
            var rows: [SQLRow] = []
            while try statement.step() {
                rows.append(SQLRow((0..<statement.columnCount).map { SQLValue(statement.value($0)) }))
            }
            return rows
        } catch {
            throw StoreError(error, operation: "query")
        }
    }

    @discardableResult
    func run(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Int {
        do {
            let statement = try prepared(sql, values)
            defer { statement.reset() }
            while try statement.step() {}
            return database.changes
        } catch {
            throw StoreError(error, operation: "write")
        }
    }

    func execute(_ sql: String) throws(StoreError) {
        do { try database.execute(sql) } catch { throw StoreError(error, operation: "execute") }
    }

    func dropPartitions(of table: String, before end: Int64) throws(StoreError) -> [String] { [] }

    /// The statement, made once and kept; reset, with nothing bound.
    func statement(_ sql: String) throws(SQLiteError) -> Statement {
        if let known = statements[sql] {
            known.reset()
            return known
        }
        // SQLite numbers its parameters `?1` where PostgreSQL writes `$1`.
        let statement = try database.statement(sql.replacing("$", with: "?"))
        statements[sql] = statement
        return statement
    }

    private func prepared(_ sql: String, _ values: [SQLValue]) throws(SQLiteError) -> Statement {
        let statement = try statement(sql)
        for (index, value) in values.enumerated() { try statement.bind(SQLiteValue(value), at: index + 1) }
        return statement
    }
}

extension Database {
    /// The file in the dialect that SQLite and PostgreSQL share, for the state of a service that may be in either.
    package var connection: any SQLConnection { SQLiteConnection(self) }
}

extension SQLiteValue {
    init(_ value: SQLValue) {
        self =
            switch value {
            case .null: .null
            case .integer(let value): .integer(value)
            case .real(let value): .real(value)
            case .text(let value): .text(value)
            case .blob(let value): .blob(value)
            case .time(let value): .integer(value.microseconds)
            }
    }
}

extension SQLValue {
    init(_ value: SQLiteValue) {
        self =
            switch value {
            case .null: .null
            case .integer(let value): .integer(value)
            case .real(let value): .real(value)
            case .text(let value): .text(value)
            case .blob(let value): .blob(value)
            }
    }
}

extension StoreError {
    init(_ error: SQLiteError, operation: String) {
        // https://www.sqlite.org/rescode.html
        let code: Code =
            switch error.primaryCode {
            case 5, 6: .conflict  // SQLITE_BUSY, SQLITE_LOCKED
            case 13, 10: .diskFull  // SQLITE_FULL, SQLITE_IOERR
            case 3, 8, 14, 23: .misconfigured  // SQLITE_PERM, READONLY, CANTOPEN, AUTH
            case 11, 26: .corrupt  // SQLITE_CORRUPT, NOTADB
            case 18, 19, 20: .refused  // SQLITE_TOOBIG, CONSTRAINT, MISMATCH
            default: .failed
            }
        self.init(code, operation: operation, detail: "SQLite \(error.operation): \(error.message)", databaseCode: String(error.code))
    }
}
