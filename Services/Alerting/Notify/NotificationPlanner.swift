import AlertRules
import VigilSchema

/// Decides what one notifier sends and when: grouping, waiting, reminding, retrying. A value without I/O or clock.
///
/// Times are microseconds of a monotonic clock.
package struct NotificationPlanner: Sendable {
    /// The number of failures in a row after which the receiver counts as unreachable.
    package static let failuresUntilAlarm = 3
    /// The number of concurrent notifications; one while the receiver is unreachable.
    private static let width = 16

    package let route: NotifierRoute
    /// The routes that select the receiver's alerts; nil: its own filter does.
    let routing: NotifierRouting?
    /// The last decision of the routes, by group and alert.
    private var routed = RoutedGroups()
    private(set) var groups: [String: NotificationGroup] = [:]
    /// The groups that changed since they were stored.
    private(set) var changed: Set<String> = []
    private var queue = DueQueue()
    private var failuresInARow = 0
    private var hasDelivered = false
    private var onTheirWay = 0

    package init(route: NotifierRoute, routing: NotifierRouting? = nil) {
        self.route = route
        self.routing = routing
    }

    /// - Parameter groups: the stored groups.
    init(route: NotifierRoute, routing: NotifierRouting? = nil, groups: [String: NotificationGroup]) {
        self.init(route: route, routing: routing)
        self.groups = groups
        if routing != nil { routed = RoutedGroups(groups) }
        for key in groups.keys { schedule(key) }
    }

    /// The number of groups with state.
    package var groupCount: Int { groups.count }

    /// True while the receiver counts as unreachable.
    package var isFailing: Bool { failuresInARow >= Self.failuresUntilAlarm }

    /// Whether the receiver can be reached, as far as this process has tried; nil before the first successful delivery
    /// or enough failures.
    package var isReachable: Bool? { isFailing ? false : hasDelivered ? true : nil }

    /// The time of the next due work of `begin`; nil: nothing is pending, or no more can be in flight.
    package var nextDue: Int64? { room > 0 ? queue.next : nil }

    private var room: Int { (isFailing ? 1 : Self.width) - onTheirWay }

    /// Applies a transition, or the present state of an alert again.
    /// - Parameter wall: the wall time for the routes; nil: the same.
    package mutating func take(_ alert: LoggedAlert, now: Int64, wall: Int64? = nil) {
        if let routing { return take(alert, routing, now: now, wall: wall ?? now) }
        let key = route.groupKey(alert.message)
        let isKnown = groups[key]?.knows(alert.key, at: now) ?? false
        // A notifier for escalations gets an alert from its escalation until the end of the episode.
        if let name = route.escalation, alert.message.escalatedTo != name, !isKnown { return }
        var group = groups[key] ?? NotificationGroup()
        group.take(alert, route, now: now)
        put(group, key)
    }

    private mutating func take(_ alert: LoggedAlert, _ routing: NotifierRouting, now: Int64, wall: Int64) {
        let former = routed.group(of: alert.key)
        let known = former.flatMap { groups[$0] }
        let isEscalated = known?.escalated[alert.key] != nil
        let target = routing.target(route.id, alert, isEscalated: isEscalated, at: wall)
        guard target != nil || known?.knows(alert.key, at: now) == true else { return }
        var settings = target?.timing.applied(to: route) ?? former.map { routed.route(of: $0) ?? route } ?? route
        settings.escalation = target?.escalation
        let key = target == nil ? former ?? settings.groupKey(alert.message) : settings.groupKey(alert.message)
        if let former, former != key { move(alert.key, from: former, to: key) }
        var group = groups[key] ?? NotificationGroup()
        group.take(alert, settings, isConcerned: target != nil, now: now)
        let mutedUntil = target?.isMuted == true ? now + routing.tree.nextChange(after: wall) - wall : nil
        routed.note(alert.key, in: key, settings, rotation: target?.rotation, mutedUntil: mutedUntil)
        put(group, key)
        if groups[key] == nil { routed.forget(alert.key) }
    }

    private mutating func move(_ alert: String, from former: String, to key: String) {
        guard var old = groups[former] else { return }
        var new = groups[key] ?? NotificationGroup()
        new.insert(alert, old.extract(alert))
        put(old, former)
        put(new, key)
    }

    /// The settings of a group.
    private func settings(_ key: String) -> NotifierRoute { routed.route(of: key) ?? route }

    /// The due time of a group.
    private func due(_ key: String, _ group: NotificationGroup) -> Int64? {
        guard let due = group.due(settings(key)) else { return nil }
        return routed.mutedUntil(group).map { max(due, $0) } ?? due
    }

    /// Removes a participant's alerts, without reminders or resolutions.
    mutating func forget(_ participant: String) {
        for (key, group) in groups where group.mentions(participant) {
            var group = group
            group.forget(participant)
            put(group, key)
        }
    }

    /// Begins all due notifications.
    /// - Parameter wall: the wall time in the notifications; nil: the same.
    package mutating func begin(now: Int64, wall: Int64? = nil) -> [Notification] {
        var begun: [Notification] = []
        while room > 0, let key = queue.pop(upTo: now) {
            guard var group = groups[key], let due = due(key, group) else {
                forgetEscalations(key, now)
                continue
            }
            guard due <= now else {
                schedule(key)
                continue
            }
            let notification = notification(key, group, wall ?? now)
            begun.append(notification)
            group.begin(notification)
            onTheirWay += 1
            groups[key] = group
        }
        return begun
    }

    /// Ends an attempt. If it did not reach every recipient it is repeated, but the receiver as a whole counts as
    /// reachable.
    /// - Parameter error: the reason of a failure. One that lasts makes the receiver count as unreachable at once.
    package mutating func finished(_ notification: Notification, _ outcome: DeliveryOutcome, _ error: ChannelError? = nil, now: Int64) {
        onTheirWay -= 1
        let wasFailing = isFailing
        let hasReached = outcome == .delivered || outcome == .partly
        if hasReached { failuresInARow = 0 } else if outcome == .failed, error?.isPostponed != true { failuresInARow += 1 }
        if error?.isLasting == true { failuresInARow = max(failuresInARow, Self.failuresUntilAlarm) }
        hasDelivered = hasDelivered || hasReached
        if var group = groups[notification.group] {
            switch outcome {
            case .delivered, .unwanted: group.sent(notification, at: now)
            case .partly, .failed: group.failed(at: now, pause: error?.pause)
            }
            put(group, notification.group)
        }
        if wasFailing, hasReached { retryAll() }
    }

    /// Notes that everything was stored.
    mutating func saved() { changed.removeAll(keepingCapacity: true) }

    /// The receiver is reachable again, so pending retries are due now.
    private mutating func retryAll() {
        for key in groups.keys {
            groups[key]?.retryNow()
            schedule(key)
        }
    }

    private mutating func put(_ group: NotificationGroup, _ key: String) {
        guard !group.isEmpty || groups[key] != nil else { return }
        groups[key] = group.isEmpty ? nil : group
        changed.insert(key)
        schedule(key)
    }

    private mutating func schedule(_ key: String) {
        guard let group = groups[key] else { return }
        if let due = due(key, group) {
            queue.push(key, due: due, isUrgent: group.isUrgent)
        } else if let over = group.escalationsOver {
            queue.push(key, due: over, isUrgent: false)
        }
    }

    private mutating func forgetEscalations(_ key: String, _ now: Int64) {
        guard var group = groups[key], let over = group.escalationsOver, over <= now else { return }
        group.forgetEscalations(at: now)
        put(group, key)
    }

    private func notification(_ key: String, _ group: NotificationGroup, _ wall: Int64) -> Notification {
        let firing = group.firing.values.map(\.message).sorted { left, right in
            guard left.acknowledged == right.acknowledged else { return right.acknowledged }
            let (a, b) = (Severity(name: left.severity) ?? .none, Severity(name: right.severity) ?? .none)
            return a == b ? (right.since, left.rule) < (left.since, right.rule) : a > b
        }
        let resolved = group.resolved.values.map(\.message).sorted { ($0.time, $0.rule) < ($1.time, $1.rule) }
        let status = firing.isEmpty ? "resolved" : firing.allSatisfy(\.acknowledged) ? "acknowledged" : "firing"
        var notification = Notification(
            id: "\(route.id)/\(key)/\(group.number)-\(Self.digest(firing + resolved))", notifier: route.id, group: key, status: status,
            time: Double(wall) / 1e6, alerts: firing, resolved: resolved, isReminder: group.newsSince == nil)
        if !notification.isReminder { notification.escalation = Notification.Escalation(firing) }
        if let first = group.composed, first.id == notification.id { notification.composed = first.time }
        notification.onCall = firing.first.flatMap { routed.rotation(of: "\($0.participant)/\($0.rule)") }
        return notification
    }

    /// A digest of a set of transitions, independent of their order.
    private static func digest(_ alerts: [AlertMessage]) -> String {
        var sum: UInt64 = 0
        for alert in alerts {
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            for byte in "\(alert.participant)/\(alert.rule)/\(alert.sequence)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            sum &+= hash
        }
        return String(sum, radix: 16)
    }
}

/// The end of a delivery attempt.
package enum DeliveryOutcome: Sendable {
    case delivered
    /// Some recipients have it; others may get it later.
    case partly
    /// The receiver's service is not told of such a state.
    case unwanted
    case failed
}

/// Group keys by due time, urgent ones first. A key may occur more than once; the caller recognises stale entries.
private struct DueQueue: Sendable {
    private struct Entry {
        let due: Int64
        let key: String
    }

    private var urgent: [Entry] = []
    private var ordinary: [Entry] = []

    /// The time of the next entry.
    var next: Int64? {
        switch (urgent.first?.due, ordinary.first?.due) {
        case (let first?, let second?): min(first, second)
        case (let first, let second): first ?? second
        }
    }

    mutating func push(_ key: String, due: Int64, isUrgent: Bool) {
        if isUrgent { Self.push(Entry(due: due, key: key), &urgent) } else { Self.push(Entry(due: due, key: key), &ordinary) }
    }

    mutating func pop(upTo now: Int64) -> String? {
        if let first = urgent.first, first.due <= now { return Self.pop(&urgent) }
        if let first = ordinary.first, first.due <= now { return Self.pop(&ordinary) }
        return nil
    }

    private static func push(_ entry: Entry, _ heap: inout [Entry]) {
        heap.append(entry)
        var child = heap.count - 1
        while child > 0, heap[child].due < heap[(child - 1) / 2].due {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private static func pop(_ heap: inout [Entry]) -> String? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return first.key }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [parent * 2 + 1, parent * 2 + 2] where child < heap.count && heap[child].due < heap[least].due { least = child }
            guard least != parent else { return first.key }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
