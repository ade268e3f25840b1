import SQLiteDatabase

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
