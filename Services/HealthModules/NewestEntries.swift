import VigilSchema

/// The newest entries, as many as modules read and as fit.
struct NewestEntries {
    private static let most = 5000
    private static let bytes = 4 << 20

    private(set) var entries: [TimelineEntry] = []
    private var size = 0

    /// Adds later entries, and drops the earliest that do not fit. The last one always stays.
    mutating func add(_ later: [TimelineEntry]) {
        entries += later
        size += later.reduce(0) { $0 + $1.size }
        var gone = 0
        while entries.count - gone > Self.most || (size > Self.bytes && entries.count - gone > 1) {
            size -= entries[gone].size
            gone += 1
        }
        entries.removeFirst(gone)
    }
}
