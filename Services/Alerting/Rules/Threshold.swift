/// A limit that can differ from person to person.
package struct Threshold: Hashable, Sendable {
    /// Its place among the rule set's thresholds.
    package let slot: Int
    /// Where nothing else is known.
    package let standard: Double
    /// For the age groups that differ.
    package let byAge: [AgeGroup: Double]
    /// The person's own history decides, once there is enough of it.
    package let percentile: Percentile?

    /// A threshold out of a person's own history.
    package struct Percentile: Hashable, Sendable {
        /// 0–100.
        package let rank: Double
        /// Half of what is older than this counts, in microseconds.
        package let halfLife: Int64
        /// Readings before the history is believed.
        package let minimumReadings: Int
        /// The result never lies below or above these.
        package let bounds: ClosedRange<Double>
        /// Its place among the rule set's histories.
        package let history: Int
    }
}
