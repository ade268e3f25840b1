/// One comparison of one metric: what conditions are made of.
package struct Leaf: Hashable, Sendable {
    /// Its place among the rule set's metrics.
    package let metric: Int
    package let quantity: Quantity
    package let comparison: Comparison
    /// How far a value must come back over the threshold to end what it began (hysteresis).
    package let slack: Double
    /// After this long without a reading nothing is known, in microseconds.
    package let staleAfter: Int64
    /// A reading counts only while this metric's newest value is at least this.
    package let quality: Quality?
    /// The place of its window among the rule set's windows, where it has one.
    package let window: Int?

    /// Whether it is about readings that do not come.
    package var isSilent: Bool { if case .silent = comparison { true } else { false } }

    /// A requirement on signal quality.
    package struct Quality: Hashable, Sendable {
        /// The place of the quality metric among the rule set's metrics.
        package let metric: Int
        package let minimum: Double
    }
}
