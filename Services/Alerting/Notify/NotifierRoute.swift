package import AlertRules
package import VigilSchema

/// The alerts that one notifier gets, and when it sends them. Times are in microseconds.
package struct NotifierRoute: Hashable, Sendable {
    package var id: String
    package var minimumSeverity: Severity
    /// The rule groups; empty: all.
    package var groups: Set<String>
    /// `medical`, `technical`; empty: both.
    package var kinds: Set<String>
    /// The addressee of escalations: only alerts that were escalated to this name are sent.
    package var escalation: String?
    /// The members by which alerts are grouped: `participant`, `group`, `rule`.
    package var groupBy: [String]
    /// Those of them that the notifier's service cannot do without, whatever the routes say.
    var requiredGroupBy: [String] = []
    /// How long the first alert of a group waits for others; high priority does not wait.
    package var groupWait: Int64
    /// The shortest time between two notifications of a group with news.
    package var groupInterval: Int64
    /// The interval of reminders of unacknowledged alerts.
    package var repeatInterval: Int64
    /// Whether the end of an alert is sent.
    package var tellsResolved: Bool

    package init(
        id: String, minimumSeverity: Severity = .warning, groups: Set<String> = [], kinds: Set<String> = [], escalation: String? = nil,
        groupBy: [String] = ["participant"], groupWait: Int64 = 10_000_000, groupInterval: Int64 = 60_000_000,
        repeatInterval: Int64 = 3_600_000_000, tellsResolved: Bool = true
    ) {
        self.id = id
        self.minimumSeverity = minimumSeverity
        self.groups = groups
        self.kinds = kinds
        self.escalation = escalation
        self.groupBy = groupBy
        self.groupWait = groupWait
        self.groupInterval = groupInterval
        self.repeatInterval = repeatInterval
        self.tellsResolved = tellsResolved
    }

    /// Whether the notifier gets the alert at all.
    func concerns(_ message: AlertMessage) -> Bool {
        guard let severity = Severity(name: message.severity), severity >= minimumSeverity else { return false }
        return (groups.isEmpty || groups.contains(message.group)) && (kinds.isEmpty || kinds.contains(message.kind))
    }

    func groupKey(_ message: AlertMessage) -> String {
        let values = ["participant": message.participant, "group": message.group, "rule": message.rule]
        let members = groupBy + requiredGroupBy.filter { !groupBy.contains($0) }
        return members.map { "\($0)=\(values[$0] ?? "")" }.joined(separator: ",")
    }

    /// The members by which alerts can be grouped.
    static let groupings = ["participant", "group", "rule"]
}

/// A transition with its number in the event log.
package struct LoggedAlert: Hashable, Sendable {
    package var id: Int64
    package var message: AlertMessage
    /// Facts of the person's profile, if the routes need them.
    package var profile: Set<String> = []
    /// The numbers of the sensors that measure what it is about, if the routes need them.
    package var sources: Set<UInt32> = []

    package init(id: Int64, message: AlertMessage) {
        self.id = id
        self.message = message
    }

    var key: String { "\(message.participant)/\(message.rule)" }
}
