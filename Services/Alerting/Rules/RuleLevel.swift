/// One severity of a rule: when it holds and how long it must hold.
package struct RuleLevel: Hashable, Sendable {
    package let severity: Severity
    package let priority: AlertPriority
    package let condition: Condition
    /// How long the condition must hold before it counts, in microseconds of event time.
    package let delay: Int64
    /// How long it still counts after the condition ended.
    package let keepFiring: Int64
    /// How often readings must satisfy it within a while before it counts.
    package let repetition: Repetition?

    /// Readings that must satisfy a condition.
    package struct Repetition: Hashable, Sendable {
        package let count: Int
        /// Microseconds of event time.
        package let within: Int64
        /// Its first place among the rule set's remembered times.
        package let ring: Int
    }
}
