import VigilSchema

/// A connection of a store, with what it remembers of the database.
protocol StoreConnection: SQLConnection {
    var dimensions: DimensionCache { get set }
    var zstd: ZstdContext { get }

    /// Forgets what a transaction may have removed.
    func forget()
}

extension StoreConnection {
    /// The batches as rows.
    func prepare(_ batches: [ObservationBatch]) throws(StoreError) -> Prepared {
        var preparation = Preparation(connection: self, zstd: zstd, dimensions: dimensions, batches: batches.count)
        try preparation.run(batches)
        dimensions = preparation.dimensions
        return preparation.prepared
    }
}

/// A store with a thread that writes and one that reads: what the two stores have in common.
protocol ThreadedStore: TimelineStore {
    associatedtype Connection: StoreConnection

    var writer: DatabaseThread<Connection> { get }
    var reader: DatabaseThread<Connection> { get }
}

extension ThreadedStore {
    package func open() async throws(StoreError) { try await writer.perform { _ in } }

    package func append(alerts: [AlertMessage]) async throws(StoreError) -> AppendCounts {
        try await writer.perform { connection throws(StoreError) in
            do throws(StoreError) {
                return try AlertAppend(connection: connection).run(alerts, &connection.dimensions)
            } catch  where error.code == .refused {
                // Perhaps because a participant was erased whom this connection had met.
                connection.dimensions.removeAll()
                return try AlertAppend(connection: connection).run(alerts, &connection.dimensions)
            }
        }
    }

    package func read<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        // The writer makes the schema.
        try await open()
        return try await reader.perform { connection throws(StoreError) in
            try connection.transaction(writing: false) { () throws(StoreError) in try body(connection) }
        }
    }

    /// A transaction on the thread that writes.
    func writing<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await writer.perform { connection throws(StoreError) in
            connection.forget()
            return try connection.transaction { () throws(StoreError) in try body(connection) }
        }
    }
}
