/// When a batch is closed, besides having nothing more to read.
package struct BatchLimits: Sendable, Hashable {
    /// The most messages in a batch.
    package var count: Int
    /// Closed once its topics and payloads reach so many bytes.
    package var bytes: Int
    /// How long a batch may wait for more once it holds `loaded` messages: so many at once mean load, and then few large batches take
    /// much less time than many small ones. Zero: never. A batch of fewer waits for nothing.
    package var gather: Duration
    /// See `gather`.
    package var loaded: Int

    package init(count: Int = 2_000, bytes: Int = 4 << 20, gather: Duration = .zero, loaded: Int = 64) {
        self.count = count
        self.bytes = bytes
        self.gather = gather
        self.loaded = loaded
    }
}
