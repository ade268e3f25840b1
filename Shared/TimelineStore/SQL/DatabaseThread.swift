import Dispatch
import VigilSchema

/// A connection and the thread that it may block.
///
/// Opens the connection when it is first needed, and again after it was lost.
actor DatabaseThread<Connection: SQLConnection> {
    private let executor: QueueExecutor
    private let connect: @Sendable (AnswerDeadline) throws(StoreError) -> Connection
    private let deadline: AnswerDeadline
    private var connection: Connection?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - label: the thread's name in a debugger.
    ///   - deadline: the times that the connection has for its answers.
    ///   - connect: opens a connection; runs on the thread. It begins the deadline for what it asks itself.
    init(
        label: String, deadline: AnswerDeadline = AnswerDeadline(),
        connect: @escaping @Sendable (AnswerDeadline) throws(StoreError) -> Connection
    ) {
        self.deadline = deadline
        executor = QueueExecutor(label: label)
        self.connect = connect
    }

    /// Runs `body` with the connection.
    /// - Parameter limit: the time that all of it may take.
    func perform<Result: Sendable>(
        within limit: Duration, _ body: @Sendable (Connection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        let connection = try opened()
        deadline.begin(limit, connection.interrupter)
        do throws(StoreError) {
            let result = try body(connection)
            // It may have been broken between the answer and here.
            if deadline.end(isDone: true) { self.connection = nil }
            return result
        } catch {
            let hasPassed = deadline.end(isDone: false)
            if hasPassed || error.code == .connectionLost || error.code == .unavailable { self.connection = nil }
            guard hasPassed else { throw error }
            throw StoreError(.connectionLost, operation: error.operation, detail: "the database has not answered in time")
        }
    }

    /// Runs `body` with the connection if there is one.
    func performIfOpen(_ body: @Sendable (Connection) -> Void) {
        if let connection { body(connection) }
    }

    /// Lets go of the connection.
    func close() { connection = nil }

    private func opened() throws(StoreError) -> Connection {
        if let connection { return connection }
        defer { deadline.end(isDone: false) }
        let connection = try connect(deadline)
        self.connection = connection
        return connection
    }
}

/// A connection of a store, with what it remembers of the database.
protocol StoreConnection: SQLConnection {
    var dimensions: DimensionCache { get set }
    var zstd: ZstdContext { get }

    /// Forgets what a transaction may have removed.
    func forget()
}

extension StoreConnection {
    /// Stores the transitions of alerts in one transaction.
    func append(_ alerts: [AlertMessage]) throws(StoreError) -> AppendCounts {
        do throws(StoreError) {
            return try AlertAppend(connection: self).run(alerts, &dimensions)
        } catch  where error.isOfData {
            // Perhaps because a participant was erased whom this connection had met.
            dimensions.removeAll()
        }
        do throws(StoreError) {
            return try AlertAppend(connection: self).run(alerts, &dimensions)
        } catch  where error.isOfData {
            return try appendEach(alerts)
        }
    }

    /// One by one, without those that the database refuses: they would be delivered for ever otherwise.
    private func appendEach(_ alerts: [AlertMessage]) throws(StoreError) -> AppendCounts {
        var counts = AppendCounts()
        for (index, alert) in alerts.enumerated() {
            do throws(StoreError) {
                let one = try AlertAppend(connection: self).run([alert], &dimensions)
                counts.stored += one.stored
                counts.duplicates += one.duplicates
            } catch  where error.isOfData {
                counts.rejections.append(AppendRejection(group: index, observation: 0, reason: error.detail))
            }
        }
        return counts
    }

    /// The batches as rows, whose new names are stored and committed.
    func prepare(_ batches: [ObservationBatch]) throws(StoreError) -> Prepared {
        var preparation = Preparation(connection: self, zstd: zstd, dimensions: dimensions, batches: batches.count)
        preparation.dimensions.beginsTransaction = !isInTransaction
        do throws(StoreError) {
            try preparation.run(batches)
            if preparation.dimensions.beginsTransaction && isInTransaction { try execute("COMMIT") }
        } catch {
            if preparation.dimensions.beginsTransaction && isInTransaction { try? execute("ROLLBACK") }
            throw error
        }
        preparation.dimensions.beginsTransaction = false
        dimensions = preparation.dimensions
        return preparation.prepared
    }
}

/// The times within which a database has to answer before its connection counts as lost; a database in the same process answers always.
package struct AnswerLimits: Sendable {
    /// An append of what was measured.
    package var append = Duration.seconds(30)
    /// A query, which the server itself ends after a minute.
    package var query = Duration.seconds(90)
    /// An erasure, an undo, retention, a change of the schema: what may go through everything that is stored.
    package var change = Duration.seconds(1800)
    /// A look at leases, or a change of them: less than the pause until the next renewal.
    package var leases = Duration.milliseconds(1500)

    /// Makes the limits that stand above.
    package init() {}
}

/// A store with a thread that writes and two that read: what the two stores have in common.
protocol ThreadedStore: SQLTimelineStore {
    associatedtype Connection: StoreConnection

    var writer: DatabaseThread<Connection> { get }
    var reader: DatabaseThread<Connection> { get }
    /// The thread that reads what may take long.
    var longReader: DatabaseThread<Connection> { get }
    /// Further threads that write, and remember names as the writer does.
    var otherWriters: [DatabaseThread<Connection>] { get }
    /// All that `close` closes, in this order.
    var threads: [DatabaseThread<Connection>] { get }
    /// The times that the database has for its answers.
    var limits: AnswerLimits { get }
}

extension ThreadedStore {
    var otherWriters: [DatabaseThread<Connection>] { [] }
    var threads: [DatabaseThread<Connection>] { [reader, longReader] + otherWriters + [writer] }
    var limits: AnswerLimits { AnswerLimits() }

    package func close() async {
        for thread in threads { await thread.close() }
    }

    package func open() async throws(StoreError) { try await writer.perform(within: limits.append) { _ in } }

    package func append(alerts: [AlertMessage]) async throws(StoreError) -> AppendCounts {
        try await writer.perform(within: limits.append) { connection throws(StoreError) in try connection.append(alerts) }
    }

    package func read<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result { try await read(by: reader, body) }

    package func readAtLength<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result { try await read(by: longReader, body) }

    private func read<Result: Sendable>(
        by thread: DatabaseThread<Connection>, _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        // The writer makes the schema.
        try await open()
        return try await thread.perform(within: limits.query) { connection throws(StoreError) in
            try connection.transaction(writing: false) { () throws(StoreError) in try body(connection) }
        }
    }

    package func record<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await writer.perform(within: limits.append) { connection throws(StoreError) in
            try connection.transaction { () throws(StoreError) in try body(connection) }
        }
    }

    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await writer.perform(within: limits.change) { connection throws(StoreError) in
            try connection.transaction { () throws(StoreError) in try body(connection) }
        }
    }

    package func remove<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        let result = try await writer.perform(within: limits.change) { connection throws(StoreError) in
            connection.forget()
            return try connection.transaction { () throws(StoreError) in try body(connection) }
        }
        for thread in otherWriters { await thread.performIfOpen { $0.forget() } }
        return result
    }
}

/// Runs an actor's jobs one after another outside Swift's cooperative threads, so that they may block.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            unsafe job.runSynchronously(on: self.asUnownedSerialExecutor())
        }
    }
}
