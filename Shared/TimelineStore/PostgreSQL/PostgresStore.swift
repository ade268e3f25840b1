package import Shares
package import VigilSchema

/// The timeline in PostgreSQL 15 or newer, for many participants and several readers.
///
/// One connection writes live data, another imports, a third reads, a fourth reads what may take long, and now and then a fifth makes indexes,
/// seals days and packs months; each is opened when first needed and again after it was lost. A commit is as durable as the server's `synchronous_commit` says. Several instances may write at once; one participant's data should pass through one of
/// them, or two corrections of one reading may be decided in either order.
package struct PostgresStore: ThreadedStore {
    let writer: DatabaseThread<PostgresConnection>
    private let history: DatabaseThread<PostgresConnection>
    let reader: DatabaseThread<PostgresConnection>
    let longReader: DatabaseThread<PostgresConnection>
    /// Open only while it makes indexes, or seals or packs what is over.
    let keeper: DatabaseThread<PostgresConnection>
    let limits: AnswerLimits
    /// The leases of those who share the work on this database.
    package let leases: PostgresLeases
    /// The lease without which nothing is appended.
    private var lease: LeaseHold?
    var otherWriters: [DatabaseThread<PostgresConnection>] { [history] }
    var threads: [DatabaseThread<PostgresConnection>] { [reader, longReader, keeper, history, writer] }

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
        leases = PostgresLeases(limit: limits.leases, connect: connect)
        writer = DatabaseThread(label: "timeline writer", connect: connect)
        history = DatabaseThread(label: "timeline history", connect: connect)
        keeper = DatabaseThread(label: "timeline keeper", connect: connect)
        let look = { @Sendable (_: AnswerDeadline) throws(StoreError) in try PostgresConnection(configuration, readOnly: true) }
        reader = DatabaseThread(label: "timeline reader", connect: look)
        longReader = DatabaseThread(label: "timeline long reader", connect: look)
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
        try await thread.perform(within: limits.append) { [lease] connection throws(StoreError) in
            try connection.holding(lease) { () throws(StoreError) in try PostgresAppend(connection: connection).run(batches) }
        }
    }

    package func append(alerts: [AlertMessage]) async throws(StoreError) -> AppendCounts {
        try await writer.perform(within: limits.append) { [lease] connection throws(StoreError) in
            try connection.holding(lease) { () throws(StoreError) in try connection.append(alerts) }
        }
    }

    /// The same store, over the same connections, for the work on a share: what is appended is committed only as long as nobody else has claimed it.
    package func holding(_ lease: LeaseHold) -> PostgresStore {
        var store = self
        store.lease = lease
        return store
    }

    package func wipeRemoved() async throws(StoreError) -> [String] {
        try await writer.perform(within: limits.change) { connection throws(StoreError) in try PostgresWipe(connection: connection).run() }
    }
}

extension PostgresConnection: StoreConnection {
    /// Runs `body`, in which nothing is committed without the lease.
    fileprivate func holding<Result>(_ lease: LeaseHold?, _ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        if lease != nil { try letsGoWhenFrozen() }
        self.lease = lease
        defer { self.lease = nil }
        return try body()
    }

    func forget() {
        dimensions.removeAll()
        months.removeAll()
    }
}
