/// Takes batches and returns once they are durable.
///
/// Delivering a batch again does no harm: its observations' identities make them duplicates.
package protocol BatchSink: Sendable {
    /// Whether batches are to be made at all.
    var wantsBatches: Bool { get }

    /// Returns after the store's commit, with what became of the batch's observations. Called for several batches at once.
    func deliver(_ batch: PreparedBatch) async throws(ImportError) -> DeliveryCounts
}

extension BatchSink {
    package var wantsBatches: Bool { true }
}

/// Delivers nothing, for `--dry-run`.
package struct NoSink: BatchSink {
    /// A sink that stores nothing.
    package init() {}

    package var wantsBatches: Bool { false }

    package func deliver(_ batch: PreparedBatch) async throws(ImportError) -> DeliveryCounts { DeliveryCounts() }
}
