/// A unit test of rules: what goes in, and the transitions that must come of it.
package struct RuleTest: Sendable {
    /// A transition that must happen.
    package struct Expected: Sendable {
        package var rule: String
        package var transition: String
        /// Nil: any.
        package var severity: String?
        /// Microseconds after the test's start; nil: whenever.
        package var at: Int64?
        /// How far from `at` it may lie.
        package var within: Int64
    }

    /// What is stored of a participant, to be played.
    package struct StoredRange: Hashable, Sendable {
        package var participant: String
        /// Microseconds since 1970.
        package var from: Int64
        package var to: Int64

        package init(participant: String, from: Int64, to: Int64) {
            self.participant = participant
            self.from = from
            self.to = to
        }
    }

    package var name: String
    /// Microseconds since 1970: what times in the test count from; nil: the first reading.
    package var start: Int64?
    package var readings: [ReplayReading] = []
    package var commands: [ReplayCommand] = []
    /// Files of recordings, as paths.
    package var recordings: [String] = []
    package var stored: StoredRange?
    /// How long time goes on after the last reading, in microseconds.
    package var after: Int64 = 600 * 1_000_000
    /// The rules that are looked at; empty: all.
    package var only: Set<String> = []
    package var expected: [Expected] = []

    package init(name: String) { self.name = name }

    /// Transitions that are compared only where a test expects one of the kind.
    static let minor: Set<String> = ["pending", "cancelled", "data-lost", "data-back", "threshold-changed", "profile-changed"]

    /// Whether the transition is to be found among the expected ones.
    func compares(_ rule: String, _ transition: String) -> Bool {
        guard only.isEmpty || only.contains(rule) else { return false }
        return !Self.minor.contains(transition) || expected.contains { $0.transition == transition }
    }
}
