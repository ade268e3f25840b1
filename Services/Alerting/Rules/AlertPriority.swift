/// The priority of an alarm signal after IEC 60601-1-8: how soon somebody must act.
package enum AlertPriority: String, Sendable, CaseIterable {
    case low, medium, high

    /// What a severity means where the rule names no priority.
    package init(_ severity: Severity) {
        switch severity {
        case .none, .notice: self = .low
        case .warning: self = .medium
        case .critical: self = .high
        }
    }
}
