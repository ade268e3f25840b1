/// Which of a file's batches are confirmed, and how far all of them are: from there an interrupted import goes on.
///
/// A value without I/O: batches are sent in order and confirmed in any.
struct ConfirmationWindow: Hashable, Sendable {
    /// Batches before this one are all confirmed.
    private(set) var prefix: Int
    /// What became of the observations of the batches in the prefix.
    private(set) var counts: DeliveryCounts
    private var early: [Int: DeliveryCounts] = [:]

    /// - Parameters:
    ///   - prefix: batches that an earlier run has confirmed.
    ///   - counts: what became of them.
    init(prefix: Int = 0, counts: DeliveryCounts = DeliveryCounts()) {
        self.prefix = prefix
        self.counts = counts
    }

    /// Whether the batch has to be sent.
    func needs(_ index: Int) -> Bool { index >= prefix && early[index] == nil }

    /// Takes a confirmation; one that is known already changes nothing.
    mutating func confirm(_ index: Int, _ delivered: DeliveryCounts) {
        guard needs(index) else { return }
        early[index] = delivered
        while let next = early.removeValue(forKey: prefix) {
            counts = counts + next
            prefix += 1
        }
    }
}
