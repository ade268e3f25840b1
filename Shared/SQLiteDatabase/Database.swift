import CSQLite

/// One connection to a SQLite file, with its prepared statements cached.
///
/// Threading: a connection belongs to one thread or actor at a time and is not `Sendable`; keep it inside an actor.
/// Guarantees: WAL journal; with `.full` (the default) a committed transaction survives a power cut, with `.normal` it
/// survives a killed process. Waits up to 5 s for another connection's lock.
@safe package final class Database {
    /// The durability of a commit when it returns.
    package enum Durability: String {
        /// The log is synced at each commit.
        case full = "FULL"
        /// The log is synced at checkpoints only.
        case normal = "NORMAL"
    }

    /// SQLite counts its memory under one lock for the whole process, for figures that nobody asks for.
    private static let configured: Bool = vigil_sqlite3_forgo_statistics() == SQLITE_OK

    private(set) var handle: OpaquePointer?
    private var cache: [String: Statement] = [:]
    /// The moment at which what runs is ended.
    var deadline: ContinuousClock.Instant?

    /// Opens the file, making it (but not its folder) where it is missing.
    /// - Parameters:
    ///   - path: a file's path, or `:memory:`.
    ///   - readOnly: refuses to write or to make the file.
    ///   - lockTimeout: how long a statement waits for another's lock, in milliseconds.
    package init(
        path: String, durability: Durability = .full, readOnly: Bool = false, lockTimeout: Int32 = 5000
    ) throws(SQLiteError) {
        _ = Self.configured
        let flags = readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let code = unsafe sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK else {
            let error = failure(code, "open \(path)")
            unsafe sqlite3_close_v2(handle)
            unsafe handle = nil
            throw error
        }
        unsafe sqlite3_extended_result_codes(handle, 1)
        unsafe sqlite3_busy_timeout(handle, lockTimeout)
        if !readOnly {
            try execute("PRAGMA journal_mode = WAL")
            try execute("PRAGMA synchronous = \(durability.rawValue)")
            // What is removed is overwritten, as Debian's library does anyway.
            try execute("PRAGMA secure_delete = ON")
        }
        try execute("PRAGMA foreign_keys = ON")
    }

    deinit {
        cache.removeAll()
        unsafe sqlite3_close_v2(handle)
    }

    /// Runs SQL that carries no values from outside; several statements may be separated by semicolons.
    package func execute(_ sql: String) throws(SQLiteError) {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code, "execute") }
    }

    /// The prepared statement for this SQL, made once and kept; it comes back reset, with nothing bound.
    package func statement(_ sql: String) throws(SQLiteError) -> Statement {
        if let known = cache[sql] {
            known.reset()
            return known
        }
        let statement = try prepare(sql)
        cache[sql] = statement
        return statement
    }

    /// Runs one parameterised statement to its end.
    package func run(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) {
        let statement = try statement(sql)
        try statement.bind(values)
        while try statement.step() {}
        statement.reset()
    }

    /// Runs one parameterised query, and returns what is read of each row.
    package func rows<Row>(_ sql: String, _ values: [SQLiteValue] = [], _ read: (Statement) -> Row) throws(SQLiteError) -> [Row] {
        let statement = try statement(sql)
        try statement.bind(values)
        defer { statement.reset() }
        var rows: [Row] = []
        while try statement.step() { rows.append(read(statement)) }
        return rows
    }

    /// Runs `body` in an immediate transaction: committed when it returns, rolled back when it throws.
    package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // SQLite may have rolled back by itself (disk full); then there is nothing left to undo.
            if isInTransaction { try execute("ROLLBACK") }
            throw error
        }
    }

    /// A Boolean value that indicates whether a transaction is open.
    package var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }
    /// Rows changed by the last statement.
    package var changes: Int { Int(unsafe sqlite3_changes64(handle)) }
    /// The row id of the last insert.
    package var lastInsertedRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// A prepared statement for the caller to keep.
    package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        var pointer: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
        guard code == SQLITE_OK, let pointer = unsafe pointer else { throw failure(code, "prepare") }
        return unsafe Statement(pointer)
    }

    func failure(_ code: Int32, _ operation: String) -> SQLiteError {
        let extended = unsafe handle == nil ? code : sqlite3_extended_errcode(handle)
        return SQLiteError(
            code: extended == SQLITE_OK ? code : extended, operation: operation,
            message: unsafe handle == nil ? "out of memory" : String(cString: sqlite3_errmsg(handle)))
    }
}

/// The reason why SQLite refused an operation.
///
/// The message is SQLite's own: it names tables and columns, never the values that were bound.
package struct SQLiteError: Error, Sendable, CustomStringConvertible {
    /// SQLite's extended result code, for example 1555 for a primary-key violation.
    package let code: Int32
    /// The operation: `open`, `prepare`, `step`, `bind`.
    package let operation: String
    /// SQLite's message.
    package let message: String

    package init(code: Int32, operation: String, message: String) {
        self.code = code
        self.operation = operation
        self.message = message
    }

    /// The primary result code, the low byte of `code`.
    package var primaryCode: Int32 { code & 0xFF }
    /// A constraint was violated.
    package var isConstraint: Bool { primaryCode == 19 }

    package var description: String { "SQLite \(operation) failed: \(message) (code \(code))" }
}
