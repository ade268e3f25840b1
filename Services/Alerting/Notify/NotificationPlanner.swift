import AlertRules
package import VigilSchema

/// Decides what notifiers send and when: grouping, waiting, reminding, retrying. A value without I/O or clock.
package struct NotificationPlanner: Sendable {
    /// What is kept over restarts.
    struct State: Codable, Sendable {
        /// By notifier and group.
        var groups: [String: [String: NotificationGroup]] = [:]
    }

    private let routes: [NotifierRoute]
    private(set) var state = State()

    package init(routes: [NotifierRoute]) { self.routes = routes }

    init(routes: [NotifierRoute], state: State) {
        self.init(routes: routes)
        self.state = state
    }

    /// Takes a transition.
    package mutating func take(_ message: AlertMessage, now: Int64) {
        for route in routes {
            let key = route.groupKey(message)
            var group = state.groups[route.id]?[key] ?? NotificationGroup()
            let isKnown = group.firing["\(message.participant)/\(message.rule)"] != nil
            // A notifier for escalations hears of an alert from its escalation on.
            if let name = route.escalation, message.escalatedTo != name, !isKnown { continue }
            group.take(message, route, now: now)
            state.groups[route.id, default: [:]][key] = group.isEmpty ? nil : group
        }
    }

    /// What is to be sent now.
    /// - Parameters:
    ///   - now: microseconds on a clock that goes on evenly, as in every call.
    ///   - wall: the wall time that the notification shall bear; nil: the same.
    package func due(now: Int64, wall: Int64? = nil) -> [Notification] {
        routes.flatMap { route in
            (state.groups[route.id] ?? [:]).sorted { $0.key < $1.key }.compactMap { key, group in
                guard let due = group.due(route), due <= now else { return nil }
                return notification(route, key, group, wall ?? now)
            }
        }
    }

    /// Notes that a notification was delivered, or that it could not be.
    package mutating func finished(_ notification: Notification, delivered: Bool, now: Int64) {
        guard var group = state.groups[notification.notifier]?[notification.group] else { return }
        if delivered { group.sent(at: now) } else { group.failed(at: now) }
        state.groups[notification.notifier]?[notification.group] = group.isEmpty ? nil : group
    }

    private func notification(_ route: NotifierRoute, _ key: String, _ group: NotificationGroup, _ wall: Int64) -> Notification {
        let firing = group.firing.values.sorted { left, right in
            let (a, b) = (Severity(name: left.severity) ?? .none, Severity(name: right.severity) ?? .none)
            return a == b ? (left.since, left.rule) < (right.since, right.rule) : a > b
        }
        let resolved = group.resolved.values.sorted { ($0.time, $0.rule) < ($1.time, $1.rule) }
        let first = firing.first ?? resolved.first
        return Notification(
            id: "\(route.id)/\(key)/\(first.map { "\($0.rule)-\($0.sequence)" } ?? "")/\(group.number)", notifier: route.id, group: key,
            status: firing.isEmpty ? "resolved" : "firing", time: Double(wall) / 1e6, alerts: firing, resolved: resolved,
            isReminder: group.newsSince == nil)
    }
}
