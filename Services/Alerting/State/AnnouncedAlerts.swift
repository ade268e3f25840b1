import VigilSchema

/// The alerts that were announced before they were stored: urgent alarms, and then their ends.
struct AnnouncedAlerts: Sendable {
    private struct Alert: Hashable {
        let participant: String
        let rule: String
    }

    private var alerts: Set<Alert> = []

    /// Returns whether a change is announced: an urgent alarm, or the end of one that was announced.
    mutating func takes(_ change: AlertMessage) -> Bool {
        let alert = Alert(participant: change.participant, rule: change.rule)
        if change.isUrgent {
            alerts.insert(alert)
            return true
        }
        return !change.isPressing && alerts.remove(alert) != nil
    }
}
