/// What of a metric a condition compares.
package enum Quantity: Hashable, Sendable {
    /// The newest reading.
    case value
    /// Something over the last while.
    case window(WindowMeasure, over: Int64)
}

/// What is taken of the readings in a window of time.
package enum WindowMeasure: String, Sendable, CaseIterable {
    /// Newest minus oldest.
    case change
    /// Newest minus the smallest.
    case rise
    /// The largest minus newest.
    case fall
    case mean, minimum, maximum
}
