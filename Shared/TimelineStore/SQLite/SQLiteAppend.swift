import VigilSchema

/// One append call, in one transaction: at first with all rows as new ones, many to a statement; where one is known already, or refused,
/// again one by one.
struct SQLiteAppend {
    let connection: SQLiteConnection

    func run(_ batches: [ObservationBatch]) throws(StoreError) -> [AppendCounts] {
        do throws(StoreError) {
            return try store(connection.prepare(batches))
        } catch  where error.code == .refused {
            // Nothing else is refused as a whole: another process has erased a participant whom this connection had met.
            connection.dimensions.removeAll()
            return try store(connection.prepare(batches))
        }
    }

    private func store(_ prepared: Prepared) throws(StoreError) -> [AppendCounts] {
        if !connection.expectsRepetitions {
            do throws(StoreError) {
                return try write(prepared, oneByOne: false)
            } catch {
                guard error.code == .refused else { throw error }
            }
        }
        return try write(prepared, oneByOne: true)
    }

    private func write(_ prepared: Prepared, oneByOne: Bool) throws(StoreError) -> [AppendCounts] {
        try connection.transaction { () throws(StoreError) in
            try check(prepared.participants)
            var result = prepared
            var appender = SQLiteAppender(connection)
            try appender.run(&result, oneByOne: oneByOne)
            return result.counts
        }
    }

    /// Fails, as `.refused`, where a number stands for no participant any more.
    private func check(_ participants: Set<Int32>) throws(StoreError) {
        let list = SQLValue.text("[\(participants.map(String.init).joined(separator: ","))]")
        let known = try connection.rows(
            "SELECT count(*) FROM participant WHERE id IN (SELECT value FROM json_each($1))", [list])
        guard known[0].integer(0) == participants.count else {
            throw StoreError(.refused, operation: "append", detail: "a participant was erased")
        }
    }
}
