import VigilSchema

/// One append call, in one transaction: at first with all rows as new ones, many to a statement; where one is known already, or refused,
/// again one by one.
struct SQLiteAppend {
    let connection: SQLiteConnection

    func run(_ batches: [ObservationBatch]) throws(StoreError) -> [AppendCounts] {
        var preparation = Preparation(
            connection: connection, zstd: connection.zstd, dimensions: connection.dimensions, batches: batches.count)
        try preparation.run(batches)
        connection.dimensions = preparation.dimensions
        let prepared = preparation.prepared
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
            var result = prepared
            var appender = SQLiteAppender(connection)
            try appender.run(&result, oneByOne: oneByOne)
            return result.counts
        }
    }
}
