import CSQLite

/// A table whose rows the program gives when a query asks for them, in any order.
///
/// Threading: as its `Database`. https://www.sqlite.org/vtab.html
package protocol VirtualTable: AnyObject {
    var columns: [VirtualColumn] { get }

    /// Begins to read.
    /// - Parameter conditions: on sought columns; rows that do not fit them may come as well.
    func rows(_ conditions: [VirtualCondition]) throws -> any VirtualRows
}

/// The rows of a virtual table, one after the other.
package protocol VirtualRows: AnyObject {
    /// Moves to the next row, at first to the first one; false at the end.
    func next() throws -> Bool
    /// A column's value in the row.
    func value(_ column: Int) -> SQLiteValue
}

/// A column of a virtual table.
package struct VirtualColumn: Sendable {
    package let name: String
    /// An SQL type.
    package let type: String
    /// Indicates whether conditions on it are handed to the table.
    package let isSought: Bool

    package init(_ name: String, _ type: String = "TEXT", isSought: Bool = false) {
        (self.name, self.type, self.isSought) = (name, type, isSought)
    }
}

/// A comparison of a column with a value.
package struct VirtualCondition: Sendable, Equatable {
    /// The numbers of `sqlite3_index_constraint.op`.
    package enum Comparison: UInt8, Sendable {
        case equal = 2, greater = 4, atMost = 8, less = 16, atLeast = 32
    }

    package let column: Int
    package let comparison: Comparison
    package let value: SQLiteValue

    package init(column: Int, _ comparison: Comparison, _ value: SQLiteValue) {
        (self.column, self.comparison, self.value) = (column, comparison, value)
    }
}

extension Database {
    /// Makes a virtual table that queries read by its name, which is the program's own.
    package func add(_ table: any VirtualTable, named name: String) throws(SQLiteError) {
        let module = unsafe Unmanaged.passRetained(TableBox(table)).toOpaque()
        // SQLite releases it also where it fails.
        let code = unsafe sqlite3_create_module_v2(handle, name, VirtualTableModule.pointer, module) { module in
            if let module = unsafe module { unsafe Unmanaged<TableBox>.fromOpaque(module).release() }
        }
        guard code == SQLITE_OK else { throw failure(code, "create module") }
        // Connects it now: `allowOnlyReading` would refuse that as a change of the schema.
        _ = try prepare("SELECT 1 FROM \(name)")
    }
}

private final class TableBox {
    let table: any VirtualTable

    init(_ table: any VirtualTable) { self.table = table }
}

private final class CursorBox {
    var rows: (any VirtualRows)?
    var isAtRow = false
    var number: Int64 = 0

    /// Moves to the next row, or the first.
    func move() throws {
        isAtRow = try rows?.next() ?? false
        number += 1
    }
}

/// The functions that SQLite calls. A table has no storage of its own, so that connecting is all that there is to making it.
private enum VirtualTableModule {
    private typealias Info = UnsafeMutablePointer<sqlite3_index_info>
    private typealias VTable = UnsafeMutablePointer<sqlite3_vtab>
    private typealias Cursor = UnsafeMutablePointer<sqlite3_vtab_cursor>

    /// `nonisolated(unsafe)`: filled once before anybody has it, then only read by SQLite; never freed.
    nonisolated(unsafe) static let pointer: UnsafeMutablePointer<sqlite3_module> = {
        var module = sqlite3_module()
        unsafe module.xConnect = { database, module, _, _, result, _ in unsafe connect(database, module, result) }
        unsafe module.xDisconnect = { table in
            unsafe UnsafeMutableRawPointer(table)?.assumingMemoryBound(to: vigil_vtab.self).deallocate()
            return SQLITE_OK
        }
        unsafe module.xBestIndex = { table, info in unsafe plan(table, info) }
        unsafe module.xOpen = { _, result in unsafe open(result) }
        unsafe module.xClose = { cursor in
            guard let cursor = unsafe cursor else { return SQLITE_OK }
            unsafe Unmanaged<CursorBox>.fromOpaque(cursor.opaque).release()
            unsafe UnsafeMutableRawPointer(cursor).deallocate()
            return SQLITE_OK
        }
        unsafe module.xFilter = { cursor, _, plan, count, values in unsafe filter(cursor, plan, count, values) }
        unsafe module.xNext = { cursor in unsafe attempt(cursor) { box, _ in try box.move() } }
        unsafe module.xEof = { cursor in unsafe cursor?.box.isAtRow == true ? 0 : 1 }
        unsafe module.xColumn = { cursor, context, column in
            if let rows = unsafe cursor?.box.rows { unsafe give(rows.value(Int(column)), to: context) }
            return SQLITE_OK
        }
        unsafe module.xRowid = { cursor, number in
            unsafe number?.pointee = cursor?.box.number ?? 0
            return SQLITE_OK
        }
        let pointer = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        unsafe pointer.initialize(to: module)
        return unsafe pointer
    }()

    private static func connect(
        _ database: OpaquePointer?, _ module: UnsafeMutableRawPointer?, _ result: UnsafeMutablePointer<VTable?>?
    ) -> Int32 {
        guard let module = unsafe module, let result = unsafe result else { return SQLITE_MISUSE }
        let columns = unsafe Unmanaged<TableBox>.fromOpaque(module).takeUnretainedValue().table.columns
        let list = columns.map { "\"\($0.name)\" \($0.type)" }.joined(separator: ", ")
        let code = unsafe sqlite3_declare_vtab(database, "CREATE TABLE x (\(list))")
        guard code == SQLITE_OK else { return code }
        let table = UnsafeMutablePointer<vigil_vtab>.allocate(capacity: 1)
        unsafe table.initialize(to: vigil_vtab())
        unsafe table.pointee.module = module
        unsafe result.pointee = UnsafeMutableRawPointer(table).assumingMemoryBound(to: sqlite3_vtab.self)
        return SQLITE_OK
    }

    /// Chooses the conditions that `filter` gets; their columns and comparisons stand in the plan's text, separated by blanks.
    private static func plan(_ table: VTable?, _ info: Info?) -> Int32 {
        guard let table = unsafe table, let info = unsafe info else { return SQLITE_MISUSE }
        let columns = unsafe Unmanaged<TableBox>.fromOpaque(table.module).takeUnretainedValue().table.columns
        var words: [String] = []
        var cost = 1e9
        for index in 0..<Int(unsafe info.pointee.nConstraint) {
            let constraint = unsafe info.pointee.aConstraint[index]
            let column = Int(constraint.iColumn)
            guard constraint.usable != 0, columns.indices.contains(column), columns[column].isSought,
                let comparison = VirtualCondition.Comparison(rawValue: constraint.op),
                let collation = unsafe sqlite3_vtab_collation(info, Int32(index)), unsafe String(cString: collation) == "BINARY"
            else { continue }
            words += [String(column), String(comparison.rawValue)]
            unsafe info.pointee.aConstraintUsage[index].argvIndex = Int32(words.count / 2)
            cost /= comparison == .equal ? 100 : 10
        }
        unsafe info.pointee.idxStr = vigil_sqlite3_copy(words.joined(separator: " "))
        unsafe info.pointee.needToFreeIdxStr = 1
        unsafe info.pointee.estimatedCost = cost
        unsafe info.pointee.estimatedRows = Int64(max(1, cost))
        return SQLITE_OK
    }

    private static func open(_ result: UnsafeMutablePointer<Cursor?>?) -> Int32 {
        guard let result = unsafe result else { return SQLITE_MISUSE }
        let cursor = UnsafeMutablePointer<vigil_vtab_cursor>.allocate(capacity: 1)
        unsafe cursor.initialize(to: vigil_vtab_cursor())
        unsafe cursor.pointee.cursor = Unmanaged.passRetained(CursorBox()).toOpaque()
        unsafe result.pointee = UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
        return SQLITE_OK
    }

    private static func filter(
        _ cursor: Cursor?, _ plan: UnsafePointer<CChar>?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?
    ) -> Int32 {
        let words = unsafe plan.map { unsafe String(cString: $0) }?.split(separator: " ") ?? []
        var conditions: [VirtualCondition] = []
        for index in 0..<Int(count) where words.count > 2 * index + 1 {
            guard let column = Int(words[2 * index]), let number = UInt8(words[2 * index + 1]),
                let comparison = VirtualCondition.Comparison(rawValue: number), let value = unsafe values?[index]
            else { continue }
            conditions.append(VirtualCondition(column: column, comparison, unsafe self.value(value)))
        }
        return unsafe attempt(cursor) { box, table in
            // A comparison with nothing holds for no row.
            box.rows = conditions.contains { $0.value == .null } ? nil : try table.rows(conditions)
            try box.move()
        }
    }

    /// Runs `body`; an error is the query's.
    private static func attempt(_ cursor: Cursor?, _ body: (CursorBox, any VirtualTable) throws -> Void) -> Int32 {
        guard let cursor = unsafe cursor, let table = unsafe cursor.pointee.pVtab else { return SQLITE_MISUSE }
        do {
            try body(unsafe cursor.box, unsafe Unmanaged<TableBox>.fromOpaque(table.module).takeUnretainedValue().table)
            return SQLITE_OK
        } catch {
            unsafe sqlite3_free(table.pointee.zErrMsg)
            unsafe table.pointee.zErrMsg = vigil_sqlite3_copy("\(error)")
            return SQLITE_ERROR
        }
    }

    private static func value(_ value: OpaquePointer) -> SQLiteValue {
        let count = Int(unsafe sqlite3_value_bytes(value))
        switch unsafe sqlite3_value_type(value) {
        case SQLITE_INTEGER: return .integer(unsafe sqlite3_value_int64(value))
        case SQLITE_FLOAT: return .real(unsafe sqlite3_value_double(value))
        case SQLITE_TEXT:
            return .text(unsafe String(decoding: UnsafeBufferPointer(start: sqlite3_value_text(value), count: count), as: UTF8.self))
        case SQLITE_BLOB: return .blob(unsafe Array(UnsafeRawBufferPointer(start: sqlite3_value_blob(value), count: count)))
        default: return .null
        }
    }

    private static func give(_ value: SQLiteValue, to context: OpaquePointer?) {
        switch value {
        case .null: unsafe sqlite3_result_null(context)
        case .integer(let value): unsafe sqlite3_result_int64(context, value)
        case .real(let value): unsafe sqlite3_result_double(context, value)
        case .text(var value):
            value.withUTF8 { bytes in
                unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
                    unsafe vigil_sqlite3_result_text(context, characters.baseAddress, Int32(characters.count))
                }
            }
        case .blob(let value):
            unsafe value.withUnsafeBytes { unsafe vigil_sqlite3_result_blob(context, $0.baseAddress, Int32($0.count)) }
        }
    }
}

extension UnsafeMutablePointer<sqlite3_vtab> {
    /// The module's own of a table that `connect` made.
    fileprivate var module: UnsafeMutableRawPointer {
        unsafe UnsafeMutableRawPointer(self).assumingMemoryBound(to: vigil_vtab.self).pointee.module
    }
}

extension UnsafeMutablePointer<sqlite3_vtab_cursor> {
    /// The box of a cursor that `open` made.
    fileprivate var opaque: UnsafeMutableRawPointer {
        unsafe UnsafeMutableRawPointer(self).assumingMemoryBound(to: vigil_vtab_cursor.self).pointee.cursor
    }
    fileprivate var box: CursorBox { unsafe Unmanaged<CursorBox>.fromOpaque(opaque).takeUnretainedValue() }
}
