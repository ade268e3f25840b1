/// What one run of packing moved.
package struct PackingReport: Hashable, Sendable {
    /// The tables' rows that now lie together.
    package private(set) var rows: [String: Int] = [:]
    /// Whether every month that is over is packed. Otherwise somebody was in the way for long, and the next run goes on.
    package var isComplete: Bool

    package init(isComplete: Bool = true) { self.isComplete = isComplete }

    mutating func add(_ count: Int, to table: String) {
        if count > 0 { rows[table, default: 0] += count }
    }
}
