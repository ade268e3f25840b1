import VigilSchema

/// The tree of routes with what is known of people, as notifiers ask it.
package struct NotifierRouting: Hashable, Sendable {
    package let tree: RoutingTree
    /// The family by participant.
    package let families: [String: String]

    package init(tree: RoutingTree, families: [String: String] = [:]) {
        self.tree = tree
        self.families = families
    }

    /// Nil where the settings have no routes.
    init?(_ settings: NotifierSettings) {
        guard let tree = settings.routing else { return nil }
        self.init(tree: tree, families: settings.people.compactMapValues(\.family))
    }

    /// The way in which a notifier hears of an alert at a moment; nil: it does not.
    /// - Parameter isEscalated: whether it heard of the alert by an escalation.
    func target(_ notifier: String, _ alert: LoggedAlert, isEscalated: Bool, at time: Int64) -> RoutingTree.Target? {
        var escalations = [alert.message.escalatedTo].compactMap(\.self)
        if isEscalated { escalations += (tree.escalationNames.union(tree.rotations.keys).union([notifier])).sorted() }
        let subject = RouteSubject(alert, family: families[alert.message.participant])
        return tree.targets(subject, escalations: escalations, at: time).first { $0.notifier == notifier }
    }

    /// Decides if a notifier hears of an alarm at once.
    func tellsNow(_ notifier: String, _ message: AlertMessage, at time: Int64) -> Bool {
        let target = target(notifier, LoggedAlert(id: 0, message: message), isEscalated: false, at: time)
        return target.map { !$0.isMuted } ?? false
    }
}

/// The groups into which a tree has led a notifier's alerts, with their settings.
struct RoutedGroups: Sendable {
    private var groups: [String: String] = [:]
    private var routes: [String: NotifierRoute] = [:]
    private var muted: [String: Int64] = [:]
    private var rotations: [String: String] = [:]

    init() {}

    /// The groups as they were stored.
    init(_ stored: [String: NotificationGroup]) {
        for (name, group) in stored {
            for alert in Array(group.firing.keys) + Array(group.resolved.keys) + Array(group.told) + Array(group.escalated.keys) {
                groups[alert] = name
            }
        }
    }

    func group(of alert: String) -> String? { groups[alert] }
    func route(of group: String) -> NotifierRoute? { routes[group] }
    /// The rotation in which the receiver is on call for the alert.
    func rotation(of alert: String) -> String? { rotations[alert] }

    /// The time until which a group is kept for later; nil where one of its alerts is not.
    func mutedUntil(_ group: NotificationGroup) -> Int64? {
        let ends = group.firing.keys.map { muted[$0] }
        return ends.contains(nil) ? nil : ends.compactMap(\.self).min()
    }

    mutating func note(_ alert: String, in group: String, _ route: NotifierRoute, rotation: String?, mutedUntil end: Int64?) {
        rotations[alert] = rotation
        groups[alert] = group
        routes[group] = route
        muted[alert] = end
    }

    mutating func forget(_ alert: String) {
        if let group = groups.removeValue(forKey: alert), !groups.values.contains(group) { routes[group] = nil }
        muted[alert] = nil
        rotations[alert] = nil
    }
}
