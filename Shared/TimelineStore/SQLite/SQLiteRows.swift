import SQLiteDatabase

/// Inserts rows by statements of many rows each: to begin and end a statement costs SQLite as much as a row.
struct SQLiteRows {
    /// The rest of the rows goes by the statement of one.
    private static let many = 40

    private let one: String
    private let several: String
    private let columns: Int

    /// - Parameters:
    ///   - columns: how many parameters a row has.
    ///   - sql: the statement for rows that are spelled so.
    private init(columns: Int, _ sql: (String) -> String) {
        self.columns = columns
        one = sql(Self.values(1, columns))
        several = sql(Self.values(Self.many, columns))
    }

    private static func values(_ rows: Int, _ columns: Int) -> String {
        let row = "(" + Array(repeating: "?", count: columns).joined(separator: ", ") + ")"
        return "VALUES " + Array(repeating: row, count: rows).joined(separator: ", ")
    }

    /// Inserts `count` rows.
    /// - Parameter bind: binds the row with an index to the statement's parameters from a number on: all of them, or to readings, which
    ///   have nothing bound before, those that are not NULL.
    static func insert(
        _ count: Int, _ kind: Kind, on connection: SQLiteConnection,
        bind: (_ index: Int, Statement, _ first: Int) throws(SQLiteError) -> Void
    ) throws(StoreError) {
        let rows = kind.rows
        do throws(SQLiteError) {
            var done = 0
            while done < count {
                let width = count - done >= many ? many : 1
                let statement = try connection.statement(width == 1 ? rows.one : rows.several)
                while count - done >= width {
                    for row in 0..<width { try bind(done + row, statement, 1 + row * rows.columns) }
                    _ = try statement.step()
                    if kind.hasNulls { statement.reset() } else { statement.rewind() }
                    done += width
                }
            }
        } catch {
            throw StoreError(error, operation: "append")
        }
    }
}

extension SQLiteRows {
    /// What is inserted.
    enum Kind {
        /// Readings that are all new. One that is known ends the statement, and what it has written stays: the transaction has to be
        /// rolled back. That spares SQLite the journal by which it would undo the statement alone.
        case newReadings
        /// Readings; one that is known changes nothing.
        case readings
        /// Sums that are added to what a rollup holds.
        case rollups(RollupLevel)

        /// Whether some parameters of a row stay unbound. To unbind them costs as much as to bind them.
        fileprivate var hasNulls: Bool {
            if case .rollups = self { false } else { true }
        }

        fileprivate var rows: SQLiteRows {
            switch self {
            case .newReadings: SQLiteRows.newReadings
            case .readings: SQLiteRows.readings
            case .rollups(.minute): SQLiteRows.minutes
            case .rollups(.hour): SQLiteRows.hours
            case .rollups(.day): SQLiteRows.days
            }
        }
    }

    private static let newReadings = SQLiteRows(columns: 11) { "INSERT OR FAIL INTO reading \($0)" }
    private static let readings = SQLiteRows(columns: 11) { "INSERT INTO reading \($0) ON CONFLICT DO NOTHING" }
    private static let minutes = SQLiteRows(columns: 14) { RollupSQL.add(.minute, rows: $0) }
    private static let hours = SQLiteRows(columns: 14) { RollupSQL.add(.hour, rows: $0) }
    private static let days = SQLiteRows(columns: 14) { RollupSQL.add(.day, rows: $0) }
}
