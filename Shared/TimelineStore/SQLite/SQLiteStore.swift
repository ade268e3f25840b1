import SQLiteDatabase
package import VigilSchema

/// The timeline in one SQLite file: the embedded default.
///
/// One thread writes, another reads; readers see the last commit and wait for nobody. A commit is on disk when `append` returns.
package struct SQLiteStore: TimelineStore {
    private let writer: DatabaseThread<SQLiteConnection>
    private let reader: DatabaseThread<SQLiteConnection>

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

    package func open() async throws(StoreError) { try await writer.perform { _ in } }

    package func close() async {
        await reader.close()
        await writer.close()
    }

    package func append(_ batches: [ObservationBatch]) async throws(StoreError) -> [AppendCounts] {
        try await writer.perform { connection throws(StoreError) in try SQLiteAppend(connection: connection).run(batches) }
    }

    package func append(alerts: [AlertMessage]) async throws(StoreError) -> AppendCounts {
        try await writer.perform { connection throws(StoreError) in
            try AlertAppend(connection: connection).run(alerts, &connection.dimensions)
        }
    }

    package func read<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        // The writer makes the file and its schema.
        try await open()
        return try await reader.perform { connection throws(StoreError) in
            try connection.transaction(writing: false) { () throws(StoreError) in try body(connection) }
        }
    }

    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await writer.perform { connection throws(StoreError) in
            // What the body removes must not be found in the cache afterwards.
            connection.dimensions.removeAll()
            return try connection.transaction { () throws(StoreError) in try body(connection) }
        }
    }
}
