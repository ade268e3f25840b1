import CSQLite

/// Queries that somebody else has written.
extension Database {
    /// Refuses all but reading, also in functions, and texts and statements that are very long.
    package func allowOnlyReading() {
        let longest: [(Int32, Int32)] = [
            (SQLITE_LIMIT_LENGTH, 16 << 20), (SQLITE_LIMIT_SQL_LENGTH, 100_000), (SQLITE_LIMIT_ATTACHED, 0),
            (SQLITE_LIMIT_COMPOUND_SELECT, 100),
        ]
        for (limit, value) in longest { unsafe sqlite3_limit(handle, limit, value) }
        unsafe sqlite3_set_authorizer(
            handle,
            { _, action, _, _, _, _ in
                [SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE].contains(action) ? SQLITE_OK : SQLITE_DENY
            }, nil)
    }

    /// Ends whatever runs at a moment, with the code 9, `SQLITE_INTERRUPT`.
    package func interrupt(at moment: ContinuousClock.Instant) {
        deadline = moment
        unsafe sqlite3_progress_handler(
            handle, 1000,
            { database in
                guard let database = unsafe database else { return 0 }
                let deadline = unsafe Unmanaged<Database>.fromOpaque(database).takeUnretainedValue().deadline
                return deadline.map { $0 <= .now } == true ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// The prepared statement of a text that holds one, and nothing after it.
    package func onlyStatement(_ sql: String) throws(SQLiteError) -> Statement {
        var pointer: OpaquePointer?
        var rest = ""
        let code = unsafe sql.withCString { text in
            var tail: UnsafePointer<CChar>?
            let code = unsafe sqlite3_prepare_v2(handle, text, -1, &pointer, &tail)
            if let tail = unsafe tail { rest = unsafe String(cString: tail) }
            return code
        }
        guard code == SQLITE_OK else { throw failure(code, "prepare") }
        guard let pointer = unsafe pointer else { throw SQLiteError(code: 1, operation: "prepare", message: "there is no statement") }
        let statement = unsafe Statement(pointer)
        guard rest.allSatisfy({ $0.isWhitespace || $0 == ";" }) else {
            throw SQLiteError(code: 1, operation: "prepare", message: "there is more than one statement")
        }
        return statement
    }
}
