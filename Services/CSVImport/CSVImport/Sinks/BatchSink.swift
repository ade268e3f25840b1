/// Takes batches and returns once they are durable.
///
/// Delivering a batch again does no harm: its observations' identities make them duplicates.
package protocol BatchSink: Sendable {
    /// Returns after the store's commit, with what became of the batch's observations. Called for several batches at once.
    func deliver(_ batch: PreparedBatch) async throws(ImportError) -> DeliveryCounts
}

/// Delivers nothing, for `--dry-run`.
package struct NoSink: BatchSink {
    /// A sink that stores nothing.
    package init() {}

    package func deliver(_ batch: PreparedBatch) async throws(ImportError) -> DeliveryCounts { DeliveryCounts() }
}
