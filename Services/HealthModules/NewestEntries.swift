import VigilSchema

/// The newest of the entries that come, as many as modules look at and as there is room for.
struct NewestEntries {
    private static let most = 5000
    private static let bytes = 4 << 20

    private(set) var entries: [TimelineEntry] = []
    private var size = 0

    /// Takes later ones in, and forgets the earliest of those for which there is no room. The last one stays in any case.
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
