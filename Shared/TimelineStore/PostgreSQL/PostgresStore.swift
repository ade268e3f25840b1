package import VigilSchema

/// The timeline in PostgreSQL 15 or newer, for many participants and several readers.
///
/// One connection writes live data, another imports, a third reads; each is opened when first needed and again after it was lost. A commit is as durable
/// as the server's `synchronous_commit` says. Several instances may write at once; one participant's data should pass through one of
/// them, or two corrections of one reading may be decided in either order.
package struct PostgresStore: ThreadedStore {
    let writer: DatabaseThread<PostgresConnection>
    private let history: DatabaseThread<PostgresConnection>
    let reader: DatabaseThread<PostgresConnection>
    let limits: AnswerLimits
    var otherWriters: [DatabaseThread<PostgresConnection>] { [history] }

    /// - Parameters:
    ///   - configuration: the database, and as whom.
    ///   - options: what is kept besides the observations.
    ///   - limits: the times that the database has for its answers.
    package init(_ configuration: PostgresConfiguration, options: StoreOptions = StoreOptions(), limits: AnswerLimits = AnswerLimits()) {
        self.limits = limits
        let connect = { @Sendable (deadline: AnswerDeadline) throws(StoreError) in
            let connection = try PostgresConnection(configuration, readOnly: false)
            deadline.begin(limits.change, connection.interrupter)
            try PostgresMigrator(connection: connection, rollups: options.rollups).run()
            return connection
        }
        writer = DatabaseThread(label: "timeline writer", connect: connect)
        history = DatabaseThread(label: "timeline history", connect: connect)
        reader = DatabaseThread(label: "timeline reader") { _ throws(StoreError) in
            try PostgresConnection(configuration, readOnly: true)
        }
    }

    package func append(_ batches: [ObservationBatch]) async throws(StoreError) -> [AppendCounts] {
        try await append(batches, by: writer)
    }

    package func appendHistory(_ batches: [ObservationBatch]) async throws(StoreError) -> [AppendCounts] {
        try await append(batches, by: history)
    }

    private func append(
        _ batches: [ObservationBatch], by thread: DatabaseThread<PostgresConnection>
    ) async throws(StoreError) -> [AppendCounts] {
        try await thread.perform(within: limits.append) { connection throws(StoreError) in
            try PostgresAppend(connection: connection).run(batches)
        }
    }

    package func wipeRemoved() async throws(StoreError) -> [String] {
        try await writer.perform(within: limits.change) { connection throws(StoreError) in try PostgresWipe(connection: connection).run() }
    }
}

extension PostgresConnection: StoreConnection {
    func forget() {
        dimensions.removeAll()
        months.removeAll()
    }
}
