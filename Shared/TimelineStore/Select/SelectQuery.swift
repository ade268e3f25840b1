import SQLiteDatabase

/// A SELECT statement in SQLite's dialect over everything that is stored, packed or not.
///
/// Its tables are `readings`, `daily`, `sealed_days`, `participants`, `entries` and `alerts`, with the columns of SQLite's views. Conditions on
/// participant, metric and time lead to what fits them; the rest SQLite decides, row by row, so that a statement without a large sort takes little
/// memory. The statement reads one state of the store, can change nothing, and sees nothing else.
package struct SelectQuery: Sendable {
    package var statement: String
    /// The most rows.
    package var limit: Int
    /// The longest time.
    package var timeout: Duration

    package init(_ statement: String, limit: Int, timeout: Duration) {
        (self.statement, self.limit, self.timeout) = (statement, limit, timeout)
    }

    /// What a statement gives, in this order.
    package enum Event: Sendable {
        /// The names of the columns, once.
        case columns([String])
        case row([SQLValue])
        /// There are more rows than the limit.
        case cut
    }
}

extension TimelineStore {
    /// Refused where the store has no SQL.
    package func select(
        _ query: SelectQuery, _ body: @escaping @Sendable (SelectQuery.Event) -> Bool
    ) async throws(StoreError) { throw StoreError(.badRequest, operation: "sql", detail: "this store has no SQL") }
}

extension ThreadedStore {
    package func select(
        _ query: SelectQuery, _ body: @escaping @Sendable (SelectQuery.Event) -> Bool
    ) async throws(StoreError) {
        try await open()
        try await longReader.perform(within: query.timeout + limits.query) { connection throws(StoreError) in
            try connection.transaction(writing: false) { () throws(StoreError) in
                try SelectRun(query: query, source: SelectSource(connection)).run(body)
            }
        }
    }
}

/// The connection that the virtual tables of a statement read, and the first error that one of them met.
final class SelectSource {
    let connection: any SQLConnection
    private(set) var error: StoreError?

    init(_ connection: any SQLConnection) { self.connection = connection }

    func noting<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        do throws(StoreError) { return try body() } catch {
            self.error = self.error ?? error
            throw error
        }
    }
}

private struct SelectRun {
    let query: SelectQuery
    let source: SelectSource

    func run(_ body: (SelectQuery.Event) -> Bool) throws(StoreError) {
        do throws(SQLiteError) {
            // What a sort does not hold in memory goes into a nameless file (SQLITE_TMPDIR).
            let database = try Database(path: ":memory:")
            try database.execute("PRAGMA temp_store = FILE")
            for (name, table) in SelectTables.all(source) { try database.add(table, named: name) }
            database.allowOnlyReading()
            database.interrupt(at: .now + query.timeout)
            try give(database.onlyStatement(query.statement), body)
        } catch {
            throw source.error ?? refusal(error)
        }
    }

    private func give(_ statement: Statement, _ body: (SelectQuery.Event) -> Bool) throws(SQLiteError) {
        let columns = 0..<statement.columnCount
        guard body(.columns(columns.map { statement.name($0) })) else { return }
        var count = 0
        while try statement.step() {
            guard count < query.limit else { return _ = body(.cut) }
            guard body(.row(columns.map { SQLValue(statement.value($0)) })) else { return }
            count += 1
        }
    }

    private func refusal(_ error: SQLiteError) -> StoreError {
        let detail =
            switch error.primaryCode {
            case 9: "the statement took longer than \(query.timeout.components.seconds) s"
            case 23: "only SELECT is allowed: \(error.message)"
            default: error.message
            }
        return StoreError(.badRequest, operation: "sql", detail: detail, databaseCode: String(error.code))
    }
}
