package import VigilSchema

/// Everything that was observed, each observation exactly once, for decades.
///
/// Two stores implement it, `SQLiteStore` and `PostgresStore`; they give the same answers.
/// Threading: any number of tasks may call it. A store writes on a thread of its own and reads on another, never on
/// Swift's cooperative threads, so that a slow database does not hold up the process.
/// Errors: every failure is a `StoreError`, whose `isRetryable` says whether the same call can succeed later. A call that
/// threw has changed nothing, or has changed everything and the connection was lost before it heard so: repeating it is
/// safe in both cases, because an observation that is already stored counts as a duplicate.
package protocol TimelineStore: Sendable {
    /// Connects, and brings the schema to the program's version under a lock that other instances wait for.
    ///
    /// Calling it again does nothing. The other calls open the store by themselves; this one is for finding out at start.
    func open() async throws(StoreError)

    /// Lets go of the connections. A later call opens them again.
    func close() async

    /// Stores all the batches in one transaction, each observation exactly once, and says per batch, in order, what became
    /// of its observations.
    func append(_ batches: [ObservationBatch]) async throws(StoreError) -> [AppendCounts]

    /// Stores batches of an import as `append` does, beside it where the database can: live data does not wait for their transaction.
    func appendHistory(_ batches: [ObservationBatch]) async throws(StoreError) -> [AppendCounts]

    /// Stores the transitions of alerts in one transaction, each exactly once, and says how many were new and how many known.
    ///
    /// They must be valid (`AlertMessage.validate`).
    func append(alerts: [AlertMessage]) async throws(StoreError) -> AppendCounts

    /// Runs `body` in one transaction on the thread that reads.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result

    /// Overwrites what was removed also where the database keeps older states of itself for a while.
    func wipeRemoved() async throws(StoreError)

    /// Runs `body` in one transaction on the thread that writes, where it changes no names of participants, metrics, sources or sessions.
    func record<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result

    /// Runs `body` in one transaction on the thread that writes.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result
}

extension TimelineStore {
    /// Nothing where the database does so by itself, in its own time.
    package func wipeRemoved() async throws(StoreError) {}

    /// In line with the live data, for a database that has one writer.
    package func appendHistory(_ batches: [ObservationBatch]) async throws(StoreError) -> [AppendCounts] { try await append(batches) }
}

/// What a store keeps besides the observations.
package struct StoreOptions: Hashable, Sendable {
    /// A Boolean value that indicates whether minute, hour and day rollups are kept up to date with every change; nil: as the database was told
    /// before, at first yes.
    ///
    /// Without them appending is faster, and pages, histograms and downsampled series are computed from the readings: the same
    /// answers, slower. Switching them on makes them anew, which takes minutes for every hundred million readings. The database
    /// remembers it for all who open it: every instance that writes has to be started again after a change.
    package var rollups: Bool?

    /// Makes options.
    package init(rollups: Bool? = nil) { self.rollups = rollups }
}
