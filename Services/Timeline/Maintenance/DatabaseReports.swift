package import VigilSchema

/// When the state of the database is to be told: at first, when it changes, and again every half minute while it is out of reach, for those who
/// came later.
package struct DatabaseReports: Sendable {
    private static let repetition = 30.0

    private var told: (isReachable: Bool, time: Timestamp)?

    package init() {}

    /// Whether the state is to be told now.
    package func isDue(_ isReachable: Bool, at time: Timestamp) -> Bool {
        guard let told, told.isReachable == isReachable else { return true }
        return !isReachable && time.seconds - told.time.seconds >= Self.repetition
    }

    /// Notes that it was told.
    package mutating func note(_ isReachable: Bool, at time: Timestamp) { told = (isReachable, time) }
}
