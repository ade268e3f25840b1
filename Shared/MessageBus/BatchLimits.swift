/// When a batch is closed, besides having nothing more to read.
package struct BatchLimits: Sendable, Hashable {
    /// The most messages in a batch.
    package var count: Int
    /// Closed once its topics and payloads reach so many bytes.
    package var bytes: Int

    package init(count: Int = 2_000, bytes: Int = 4 << 20) {
        self.count = count
        self.bytes = bytes
    }
}
