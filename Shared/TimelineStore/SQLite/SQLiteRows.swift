import SQLiteDatabase
import VigilSchema

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
    /// The inserted rows.
    enum Kind {
        /// Readings that are all new. One that is known ends the statement, and what it has written stays: the transaction has to be
        /// rolled back. That spares SQLite the journal by which it would undo the statement alone.
        case newReadings
        /// Readings; one that is known changes nothing.
        case readings
        /// Sums that are added to what a rollup holds.
        case rollups(RollupLevel)

        /// A Boolean value that indicates whether some parameters of a row stay unbound. To unbind them costs as much as to bind them.
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

/// Value by value: an array for each of many rows would cost as much as the row.
extension Statement {
    /// Binds a row of the table `reading`; parameters that stay unbound are NULL.
    func bind(_ reading: ReadingRow, text: String?, from first: Int) throws(SQLiteError) {
        try bind(reading.identity.time, at: first)
        try bind(Int64(reading.identity.participant), at: first + 1)
        try bind(Int64(reading.identity.metric), at: first + 2)
        try bind(Int64(reading.identity.source), at: first + 3)
        try bind(Int64(reading.identity.sequence), at: first + 4)
        if let text { try bind(text, at: first + 6) } else { try bind(reading.value, at: first + 5) }
        try bind(reading.received, at: first + 7)
        if reading.session != ReadingRow.none { try bind(Int64(reading.session), at: first + 8) }
        if reading.origin != ReadingRow.none { try bind(Int64(reading.origin), at: first + 9) }
        if reading.zone != .min { try bind(Int64(reading.zone), at: first + 10) }
    }

    /// Binds a row of a rollup table.
    func bind(_ key: RollupKey, _ aggregate: Aggregate, from first: Int) throws(SQLiteError) {
        try bind(Int64(key.participant), at: first)
        try bind(Int64(key.metric), at: first + 1)
        try bind(Int64(key.source), at: first + 2)
        try bind(key.start, at: first + 3)
        try bind(aggregate.count, at: first + 4)
        try bind(aggregate.sum, at: first + 5)
        try bind(aggregate.min, at: first + 6)
        try bind(aggregate.max, at: first + 7)
        try bind(aggregate.first, at: first + 8)
        try bind(aggregate.firstTime.microseconds, at: first + 9)
        try bind(Int64(aggregate.firstSequence), at: first + 10)
        try bind(aggregate.last, at: first + 11)
        try bind(aggregate.lastTime.microseconds, at: first + 12)
        try bind(Int64(aggregate.lastSequence), at: first + 13)
    }
}
