import AlertRules
import VigilSchema

extension NotificationGroup {
    /// So long after it ended unanswered an alert that is back is the same episode, whose escalations were told already; a minute more than the
    /// engine's, as what it decides is heard of later.
    private static let episodeGap = AlertEngine.episodeGap + 60_000_000

    /// Tells whether the receiver has heard of an alert, or would have, and is to hear how it goes on.
    func knows(_ key: String, at now: Int64) -> Bool {
        if firing[key] != nil || told.contains(key) { return true }
        return escalated[key].map { $0 == 0 || now - $0 <= Self.episodeGap } ?? false
    }

    /// The time at which the first of the alerts that ended is forgotten; nil where there is none.
    var escalationsOver: Int64? { escalated.values.filter { $0 != 0 }.min().map { $0 + Self.episodeGap + 1 } }

    /// Forgets the alerts that ended too long ago to come back as the same.
    mutating func forgetEscalations(at now: Int64) { escalated = escalated.filter { $0.value == 0 || now - $0.value <= Self.episodeGap } }

    /// Notes what an alert's transition says of its escalation to the receiver.
    mutating func noteEscalation(_ key: String, _ message: AlertMessage, _ route: NotifierRoute, now: Int64) {
        guard let name = route.escalation else { return }
        if message.escalatedTo == name { escalated[key] = 0 }
        guard escalated[key] != nil else { return }
        // Once answered, or ended by a person or with its rule, the steps are taken anew.
        if message.acknowledged || message.transition == "cleared" && ["command", "rules"].contains(message.cause) {
            escalated[key] = nil
        } else if message.transition == "cleared" {
            escalated[key] = now
        } else if message.state == "active" {
            escalated[key] = 0
        }
    }
}
