import SQLiteDatabase
package import VigilSchema

/// The timeline in one SQLite file: the embedded default.
///
/// One thread writes, another reads; readers see the last commit and wait for nobody. A commit is on disk when `append` returns.
package struct SQLiteStore: ThreadedStore {
    let writer: DatabaseThread<SQLiteConnection>
    let reader: DatabaseThread<SQLiteConnection>

    /// - Parameters:
    ///   - path: the file, made where it is missing; its folder must exist.
    ///   - options: what is kept besides the observations.
    package init(path: String, options: StoreOptions = StoreOptions()) {
        writer = DatabaseThread(label: "timeline writer") { () throws(StoreError) in
            let connection = try SQLiteConnection(path: path, durability: .full, readOnly: false)
            try SQLiteMigrator(connection: connection, rollups: options.rollups).run()
            return connection
        }
        reader = DatabaseThread(label: "timeline reader") { () throws(StoreError) in
            try SQLiteConnection(path: path, durability: .full, readOnly: true)
        }
    }

    package func close() async {
        await reader.close()
        await writer.close()
    }

    package func append(_ batches: [ObservationBatch]) async throws(StoreError) -> [AppendCounts] {
        try await writer.perform { connection throws(StoreError) in try SQLiteAppend(connection: connection).run(batches) }
    }

    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await writing(body)
    }
}

extension SQLiteConnection: StoreConnection {
    func forget() { dimensions.removeAll() }
}
