/// Readings and rejects in the order of the file's rows.
package struct ReadingBlock: Sendable {
    /// The accepted cells.
    package var readings: [Reading] = []
    /// The texts of those that are texts.
    package var texts: [String] = []
    /// The refused ones.
    package var rejects: [RejectedCell] = []

    /// Empties it, keeping its storage.
    mutating func removeAll() {
        readings.removeAll(keepingCapacity: true)
        texts.removeAll(keepingCapacity: true)
        rejects.removeAll(keepingCapacity: true)
    }
}
