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

    /// Whether a transaction is open.
    var isInTransaction: Bool { get }

    /// The statement that starts a transaction which will write.
    static var beginWriting: String { get }

    /// What a `SELECT` ends in to keep other writers from its rows until the transaction ends; empty where they are kept
    /// from the whole database anyway.
    static var lockingClause: String { get }

    /// Drops the partitions of `reading` or `waveform` that end at or before a moment (microseconds since 1970), and names them; nothing
    /// where the database has none.
    func dropPartitions(of table: String, before end: Int64) throws(StoreError) -> [String]

    /// The start of the bucket of a rollup level that the moment in `column` falls into.
    static func bucketStart(_ column: String, _ level: RollupLevel) -> String
}

extension SQLConnection {
    /// The rows of a query without parameters.
    package func rows(_ sql: String) throws(StoreError) -> [SQLRow] { try rows(sql, []) }

    /// A database that plans without looking at values has no other plan.
    package func rowsPlannedForValues(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> [SQLRow] { try rows(sql, values) }

    /// Runs `body` in a transaction: committed when it returns, rolled back when it throws. Joins one that is open.
    package func transaction<Result>(writing: Bool = true, _ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        guard !isInTransaction else { return try body() }
        try execute(writing ? Self.beginWriting : "BEGIN")
        do throws(StoreError) {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // The database may have rolled back by itself, or be gone; the first error is the one to tell.
            if isInTransaction { try? execute("ROLLBACK") }
            throw error
        }
    }
}
