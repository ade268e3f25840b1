package import VigilSchema

/// One connection to a database, in the dialect that SQLite and PostgreSQL share, so that a query is written once.
///
/// Parameters are `$1`, `$2`, … . Times are bound as `SQLValue.time` and read with `SQLRow.time`.
/// Threading: belongs to one thread at a time; a store hands it to a closure and takes it back.
package protocol SQLConnection: AnyObject {
    /// The rows that a query gives. The statement is prepared once and kept.
    func rows(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> [SQLRow]

    /// The same, but planned for these very values: for what may read a row or thousands, as the values have it.
    func rowsPlannedForValues(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> [SQLRow]

    /// Runs a statement, and says how many rows it changed.
    @discardableResult
    func run(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Int

    /// Runs SQL that carries no values from outside; several statements may be separated by semicolons.
    func execute(_ sql: String) throws(StoreError)

    /// A Boolean value that indicates whether a transaction is open.
    var isInTransaction: Bool { get }

    /// The statement that starts a transaction which will write.
    static var beginWriting: String { get }

    /// The end of a `SELECT` that keeps other writers from its rows until the transaction ends; empty where they are kept
    /// from the whole database anyway.
    static var lockingClause: String { get }

    /// Drops the partitions of `reading` or `waveform` that end at or before a moment (microseconds since 1970), and names them; nothing
    /// where the database has none.
    func dropPartitions(of table: String, before end: Int64) throws(StoreError) -> [String]

    /// Keeps everybody else from changing rollups until the transaction ends; nothing where a transaction that writes does so anyway.
    func lockRollups() throws(StoreError)

    /// Keeps everybody else from sealing until the transaction ends; nothing where a transaction that writes does so anyway.
    func lockSealing() throws(StoreError)

    /// Adds readings of a series, of which the table `reading` holds none with these identities; fails, as `.refused`, where it does.
    func insert(_ readings: [SealedReading], of series: RollupKey) throws(StoreError)

    /// Adds sums to the buckets of a rollup level. They come in the order of their keys.
    func add(_ sums: [(key: RollupKey, aggregate: Aggregate)], to level: RollupLevel) throws(StoreError)

    /// Counts buckets of a rollup level anew: minutes from readings, hours from minutes, days from hours. What other connections add to them
    /// meanwhile is added to the new sums. The keys come sorted.
    func recount(_ keys: [RollupKey], _ level: RollupLevel) throws(StoreError)

    /// The query of the view `daily`, of those rows of its table `r` that fit a condition, which is empty or begins with `AND`.
    static func daily(where condition: String) -> String

    /// A query for the whole numbers of a JSON array in a parameter.
    static func elements(of parameter: String) -> String

    /// The moment so many seconds after the one in a column.
    static func moment(_ column: String, plus seconds: Int) -> String

    /// A query for the names of the tables and the bytes that each takes with its indexes; a partition counts as its table.
    static var tableSizes: String { get }

    /// Commits the open transaction, where whoever writes still has the right to.
    func commit() throws(StoreError)

    /// Breaks the connection from another thread; nil where its database is in this process.
    var interrupter: SocketInterrupter? { get }

    /// Has rows looked up by their keys until the transaction ends; nothing where the database does so anyway.
    func prefersIndexes() throws(StoreError)

    /// The start of the bucket of a rollup level that the moment in `column` falls into.
    static func bucketStart(_ column: String, _ level: RollupLevel) -> String
}

extension SQLConnection {
    /// The rows of a query without parameters.
    package func rows(_ sql: String) throws(StoreError) -> [SQLRow] { try rows(sql, []) }

    /// A database that plans without looking at values has no other plan.
    package func rowsPlannedForValues(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> [SQLRow] { try rows(sql, values) }

    package func prefersIndexes() throws(StoreError) {}
    package func commit() throws(StoreError) { try execute("COMMIT") }
    package var interrupter: SocketInterrupter? { nil }

    /// Runs `body` in a transaction: committed when it returns, rolled back when it throws. Joins one that is open.
    package func transaction<Result>(writing: Bool = true, _ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        guard !isInTransaction else { return try body() }
        try execute(writing ? Self.beginWriting : "BEGIN")
        do throws(StoreError) {
            let result = try body()
            try commit()
            return result
        } catch {
            // The database may have rolled back by itself, or be gone; the first error is the one to tell.
            if isInTransaction { try? execute("ROLLBACK") }
            throw error
        }
    }
}

/// One row of a result. Columns count from 0; a column read as another type than it holds gives that type's zero.
package struct SQLRow: Hashable, Sendable {
    package let values: [SQLValue]

    package init(_ values: [SQLValue]) { self.values = values }

    package func isNull(_ column: Int) -> Bool { values[column] == .null }

    package func integer(_ column: Int) -> Int64 {
        switch values[column] {
        case .integer(let value): value
        case .real(let value): Int64(exactly: value.rounded()) ?? 0
        case .time(let value): value.microseconds
        default: 0
        }
    }

    package func real(_ column: Int) -> Double {
        switch values[column] {
        case .real(let value): value
        case .integer(let value): Double(value)
        default: 0
        }
    }

    package func text(_ column: Int) -> String {
        if case .text(let value) = values[column] { value } else { "" }
    }

    package func blob(_ column: Int) -> [UInt8] {
        if case .blob(let value) = values[column] { value } else { [] }
    }

    /// A moment; SQLite's integers are microseconds.
    package func time(_ column: Int) -> Timestamp { Timestamp(microseconds: integer(column)) }

    package func optionalText(_ column: Int) -> String? { isNull(column) ? nil : text(column) }
    package func optionalReal(_ column: Int) -> Double? { isNull(column) ? nil : real(column) }
    package func optionalInteger(_ column: Int) -> Int64? { isNull(column) ? nil : integer(column) }
    package func optionalTime(_ column: Int) -> Timestamp? { isNull(column) ? nil : time(column) }
}

/// A value sent to a database or received from it.
package enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
    /// Microseconds in SQLite, `timestamptz` in PostgreSQL.
    case time(Timestamp)

    /// The text, or null.
    package static func optional(_ text: String?) -> SQLValue { text.map(SQLValue.text) ?? .null }
    /// The number, or null.
    package static func optional(_ number: Double?) -> SQLValue { number.map(SQLValue.real) ?? .null }
    /// The number, or null.
    package static func optional(_ number: (some BinaryInteger)?) -> SQLValue { number.map { .integer(Int64($0)) } ?? .null }
    /// The moment, or null.
    package static func optional(_ time: Timestamp?) -> SQLValue { time.map(SQLValue.time) ?? .null }
}
