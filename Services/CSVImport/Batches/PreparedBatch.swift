package import VigilSchema

/// A batch on its way, with its place in the file's order.
package struct PreparedBatch: Sendable {
    /// From 0. The same file in the same way gives the same batches in the same order.
    package let index: Int
    /// The share of participants that it belongs to.
    package let partition: Partition
    /// What is sent.
    package let batch: ObservationBatch
}
