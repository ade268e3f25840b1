import VigilSchema

/// A store whose database speaks SQL: with appending, and with transactions in the dialect of `SQLConnection`, it has every operation.
package protocol SQLTimelineStore: TimelineStore {
    /// Runs `body` in one transaction on the thread that reads.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result

    /// Runs `body` in one transaction on a thread for what may take long, as it looks at what was measured itself: nobody else's quick question
    /// waits for it.
    func readAtLength<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result

    /// Runs `body` in one transaction on the thread that writes, where it changes no names of participants, metrics, sources or sessions.
    func record<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result

    /// Runs `body` in one transaction on the thread that writes, where it removes no names and no months.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result

    /// As `write`, beside what is written meanwhile, where the database can.
    func maintain<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result

    /// Runs `body` in one transaction on the thread that writes, and forgets what the connections remember of names and months.
    func remove<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result

    /// Overwrites what was removed also where the database keeps older states of itself for a while.
    /// - Returns: the tables in which it was only freed, as they are too large to be written anew while everybody waits.
    func wipeRemoved() async throws(StoreError) -> [String]
}

extension SQLTimelineStore {
    /// In line with the live data, for a database that has one writer.
    package func maintain<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result { try await write(body) }

    /// As `write`, for a store that remembers nothing.
    package func remove<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result { try await write(body) }

    /// Nothing where the database does so by itself.
    package func wipeRemoved() async throws(StoreError) -> [String] { [] }

    package func ping() async throws(StoreError) {
        _ = try await read { connection throws(StoreError) in try connection.rows("SELECT 1") }
    }
}

extension SQLTimelineStore {
    /// In line with the quick questions, for a store with one thread that reads.
    package func readAtLength<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result { try await read(body) }
}
