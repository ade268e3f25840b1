import CSQLite

/// A prepared statement: bind from 1, step, read columns from 0, reset.
///
/// Threading: as its `Database`. What is bound is copied by SQLite.
@safe package final class Statement {
    private let pointer: OpaquePointer

    @unsafe init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe sqlite3_finalize(pointer) }

    /// Binds the values to the parameters 1, 2, ….
    package func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
        for (index, value) in values.enumerated() {
            try bind(value, at: index + 1)
        }
    }

    /// Binds one value.
    package func bind(_ value: SQLiteValue, at index: Int) throws(SQLiteError) {
        switch value {
        case .null: try check(unsafe sqlite3_bind_null(pointer, Int32(index)))
        case .integer(let value): try bind(value, at: index)
        case .real(let value): try bind(value, at: index)
        case .text(let value): try bind(value, at: index)
        case .blob(let value): try bind(value, at: index)
        }
    }

    package func bind(_ value: Int64, at index: Int) throws(SQLiteError) {
        try check(unsafe sqlite3_bind_int64(pointer, Int32(index), value))
    }

    package func bind(_ value: Double, at index: Int) throws(SQLiteError) {
        try check(unsafe sqlite3_bind_double(pointer, Int32(index), value))
    }

    package func bind(_ value: String, at index: Int) throws(SQLiteError) {
        var value = value
        let code = value.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
                unsafe vigil_sqlite3_bind_text(pointer, Int32(index), characters.baseAddress, Int32(characters.count))
            }
        }
        try check(code)
    }

    package func bind(_ value: [UInt8], at index: Int) throws(SQLiteError) {
        let code = unsafe value.withUnsafeBytes { bytes in
            unsafe bytes.isEmpty
                ? sqlite3_bind_zeroblob(pointer, Int32(index), 0)
                : vigil_sqlite3_bind_blob(pointer, Int32(index), bytes.baseAddress, Int32(bytes.count))
        }
        try check(code)
    }

    /// Moves to the next row; false at the end.
    package func step() throws(SQLiteError) -> Bool {
        let code = unsafe sqlite3_step(pointer)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            let error = failure(code, "step")
            unsafe sqlite3_reset(pointer)
            throw error
        }
    }

    /// Ready for the next run, with nothing bound.
    package func reset() {
        unsafe sqlite3_reset(pointer)
        unsafe sqlite3_clear_bindings(pointer)
    }

    /// Ready for the next run, with everything bound as it was.
    package func rewind() { unsafe sqlite3_reset(pointer) }

    /// The number of columns a row has.
    package var columnCount: Int { Int(unsafe sqlite3_column_count(pointer)) }

    /// The column's name.
    package func name(_ column: Int) -> String {
        guard let name = unsafe sqlite3_column_name(pointer, Int32(column)) else { return "" }
        return unsafe String(cString: name)
    }

    /// The column's value, as what SQLite stored it.
    package func value(_ column: Int) -> SQLiteValue {
        switch unsafe sqlite3_column_type(pointer, Int32(column)) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_FLOAT: .real(real(column))
        case SQLITE_TEXT: .text(text(column))
        case SQLITE_BLOB: .blob(blob(column))
        default: .null
        }
    }

    package func isNull(_ column: Int) -> Bool { unsafe sqlite3_column_type(pointer, Int32(column)) == SQLITE_NULL }

    package func integer(_ column: Int) -> Int64 { unsafe sqlite3_column_int64(pointer, Int32(column)) }

    package func real(_ column: Int) -> Double { unsafe sqlite3_column_double(pointer, Int32(column)) }

    package func text(_ column: Int) -> String {
        guard let characters = unsafe sqlite3_column_text(pointer, Int32(column)) else { return "" }
        let count = Int(unsafe sqlite3_column_bytes(pointer, Int32(column)))
        return unsafe String(decoding: UnsafeBufferPointer(start: characters, count: count), as: UTF8.self)
    }

    package func blob(_ column: Int) -> [UInt8] {
        guard let bytes = unsafe sqlite3_column_blob(pointer, Int32(column)) else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(pointer, Int32(column)))))
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw failure(code, "bind") }
    }

    private func failure(_ code: Int32, _ operation: String) -> SQLiteError {
        let database = unsafe sqlite3_db_handle(pointer)
        return SQLiteError(
            code: unsafe sqlite3_extended_errcode(database), operation: operation,
            message: unsafe String(cString: sqlite3_errmsg(database)))
    }
}

/// A value bound to a statement.
package enum SQLiteValue: Sendable, Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
}
