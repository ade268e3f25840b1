import AlertRules
import VigilSchema

/// One notifier's state of one group of alerts. Times are microseconds of the engine's monotonic clock.
struct NotificationGroup: Sendable {
    private struct News: Sendable {
        var since: Int64?
        var isUrgent: Bool
    }

    /// The firing alerts, by participant and rule.
    var firing: [String: LoggedAlert] = [:]
    /// The alerts that ended since the last notification and that the receiver knows, or would know if it had been
    /// reachable.
    var resolved: [String: LoggedAlert] = [:]
    /// The alerts that the receiver believes to be firing.
    var told: Set<String> = []
    /// The alerts that were escalated to the receiver: 0 while active, else the time at which they ended unanswered.
    /// A return is no new escalation, but the receiver is notified if it heard of the end, or could not.
    var escalated: [String: Int64] = [:]
    /// The time of the oldest pending news; nil: none.
    private(set) var newsSince: Int64?
    /// Whether the news has high priority.
    private(set) var isUrgent = false
    /// The news of the notification in flight.
    private var onItsWay: News?
    private var lastSent: Int64?
    /// The number of notifications so far.
    private(set) var number = 0
    /// The number of failed attempts since the last success.
    private var failures = 0
    private var notBefore: Int64 = 0
    /// The notification that was begun last and not accepted, with the wall time of its first attempt.
    private(set) var composed: Composed?

    /// A notification's first attempt.
    struct Composed: Codable, Hashable {
        let id: String
        let time: Double
    }

    private static let longestGathering: Int64 = 10_000_000

    var isEmpty: Bool { firing.isEmpty && resolved.isEmpty && told.isEmpty && escalated.isEmpty && newsSince == nil && onItsWay == nil }

    /// Applies a transition.
    /// - Parameter isConcerned: whether the alert is for the receiver now; nil: as the route says.
    mutating func take(_ alert: LoggedAlert, _ route: NotifierRoute, isConcerned: Bool? = nil, now: Int64) {
        let (key, message) = (alert.key, alert.message)
        noteEscalation(key, message, route, now: now)
        if message.isAudible, !message.recovered || firing[key] != nil, isConcerned ?? route.concerns(message) {
            return fire(key, alert, now: now)
        }
        if message.transition == "found-late", !message.silenced, isConcerned ?? route.concerns(message) {
            // It is over: report it at once as resolved.
            resolved[key] = alert
            return note(now, urgent: true)
        }
        let before = firing.removeValue(forKey: key)
        let wasMissed = before.map { isMissed($0) } ?? false
        if message.state == "none", told.remove(key) != nil && route.tellsResolved || wasMissed {
            var ended = alert
            ended.message.severity = before?.message.severity ?? message.severity
            resolved[key] = ended
            note(now, urgent: wasMissed)
        } else if firing.isEmpty, resolved.isEmpty {
            newsSince = nil
        }
    }

    /// Handles an alert of high priority that ended before anybody could be notified, because the service or the
    /// receiver was away. It is reported as resolved. An alert of lower priority that ends within `groupWait` is
    /// dropped.
    private func isMissed(_ alert: LoggedAlert) -> Bool {
        guard alert.message.priority == AlertPriority.high.rawValue, !alert.message.acknowledged else { return false }
        return !told.contains(alert.key) || newsSince != nil || onItsWay?.since != nil
    }

    /// Whether the group has alerts of the participant.
    func mentions(_ participant: String) -> Bool {
        (Array(firing.keys) + Array(resolved.keys) + Array(told) + Array(escalated.keys)).contains { $0.hasPrefix("\(participant)/") }
    }

    /// Removes the participant's alerts.
    mutating func forget(_ participant: String) {
        let prefix = "\(participant)/"
        firing = firing.filter { !$0.key.hasPrefix(prefix) }
        resolved = resolved.filter { !$0.key.hasPrefix(prefix) }
        told = told.filter { !$0.hasPrefix(prefix) }
        escalated = escalated.filter { !$0.key.hasPrefix(prefix) }
        if firing.isEmpty, resolved.isEmpty { newsSince = nil }
    }

    /// The transitions that are news about an alert that is already firing.
    private static let isNews: Set = ["recurred", "escalated", "worsened", "reminded"]

    private mutating func fire(_ key: String, _ alert: LoggedAlert, now: Int64) {
        let message = alert.message
        let former = firing.updateValue(alert, forKey: key)
        resolved[key] = nil
        // A new evaluation, such as at a change of shift, is no news for a receiver that already knows the alert.
        if former?.id == alert.id, former?.message == message { return }
        let before = former?.message
        let isWorse = before.map { Severity(name: $0.severity) ?? .none < Severity(name: message.severity) ?? .none } ?? true
        let isNews = isWorse || Self.isNews.contains(message.transition)
        if isNews, !message.acknowledged {
            // A receiver that was notified does not need to know quickly that others are asked.
            let isKnown = message.transition == "escalated" && before != nil && !isWorse
            note(now, urgent: message.priority == AlertPriority.high.rawValue && !isKnown)
        } else if message.transition == "acknowledged", told.contains(key) {
            note(now, urgent: false)
        }
    }

    /// Clears the pending news.
    mutating func forgetNews() { newsSince = nil }

    /// Adds news of another group.
    mutating func addNews(since: Int64, urgent: Bool) {
        newsSince = min(newsSince ?? since, since)
        isUrgent = isUrgent || urgent
    }

    private mutating func note(_ now: Int64, urgent: Bool) {
        newsSince = min(newsSince ?? now, now)
        isUrgent = isUrgent || urgent
        // After long failures, urgent news is tried at once.
        if urgent { notBefore = min(notBefore, now) }
    }

    /// The time of the next notification; nil: nothing is pending, or one is in flight.
    func due(_ route: NotifierRoute) -> Int64? {
        guard onItsWay == nil else { return nil }
        if let newsSince {
            if isUrgent { return max(newsSince + gathering(route), notBefore) }
            let due = lastSent.map { max(newsSince, $0 + route.groupInterval) } ?? newsSince + route.groupWait
            return max(due, notBefore)
        }
        guard let lastSent, firing.values.contains(where: { !$0.message.acknowledged }) else { return nil }
        return max(lastSent + route.repeatInterval, notBefore)
    }

    /// An escalation after minutes may wait some seconds for others of the same moment.
    private func gathering(_ route: NotifierRoute) -> Int64 {
        route.escalation == nil ? 0 : min(route.groupWait, Self.longestGathering)
    }

    /// Begins an attempt. Later transitions are new news. The receiver may know these alerts from now on, even if it
    /// fails.
    mutating func begin(_ notification: Notification? = nil) {
        composed = notification.map { Composed(id: $0.id, time: $0.composed ?? $0.time) }
        told.formUnion(firing.keys)
        onItsWay = News(since: newsSince, isUrgent: isUrgent)
        newsSince = nil
        isUrgent = false
    }

    /// Ends a successful attempt.
    mutating func sent(_ notification: Notification, at now: Int64) {
        for ended in notification.resolved {
            let key = "\(ended.participant)/\(ended.rule)"
            if resolved[key]?.message.sequence == ended.sequence { resolved[key] = nil }
        }
        onItsWay = nil
        composed = nil
        lastSent = now
        number += 1
        failures = 0
        notBefore = 0
    }

    /// Ends a failed attempt. The pause doubles each time, up to five minutes.
    /// - Parameter pause: the time after which the receiver wants to be asked; there is no reason to wait longer.
    mutating func failed(at now: Int64, pause: Duration? = nil) {
        giveUpAttempt()
        failures += 1
        let wanted = pause.map { max(1, $0.components.seconds + 1) } ?? .max
        notBefore = now + min(failures > 9 ? 300 : 1 << (failures - 1), wanted) * 1_000_000
    }

    /// Allows the next attempt at once, because the receiver is back.
    mutating func retryNow() { notBefore = 0 }

    private mutating func giveUpAttempt() {
        guard let news = onItsWay else { return }
        onItsWay = nil
        // Alerts that were silenced while it was in flight are no longer news. An empty notification is not sent.
        guard !firing.isEmpty || !resolved.isEmpty else { return }
        if let since = news.since { newsSince = min(newsSince ?? since, since) }
        isUrgent = isUrgent || news.isUrgent
    }
}

extension NotificationGroup {
    /// The stored form of a group: alerts by their numbers in the event log.
    struct Kept: Codable, Hashable {
        var firing: [Int64]
        /// The severity of an ended alert, by the number of its last event.
        var resolved: [Int64: String]
        var told: Set<String>
        var newsSince: Int64?
        var isUrgent: Bool
        var lastSent: Int64?
        var number: Int
        var failures: Int
        var notBefore: Int64
        /// Nil if there are none.
        var escalated: [String: Int64]?
        var composed: Composed?

        /// The alerts that it names, by participant and rule.
        var names: Set<String> { told.union(escalated.map { Array($0.keys) } ?? []) }

        private static let longestGathering: Int64 = 10_000_000

        var isEmpty: Bool { firing.isEmpty && resolved.isEmpty && names.isEmpty }

        /// Removes the names of other alerts.
        mutating func keepNames(where isKept: (String) -> Bool) {
            told = told.filter(isKept)
            let left = escalated?.filter { isKept($0.key) } ?? [:]
            escalated = left.isEmpty ? nil : left
        }
    }

    /// An attempt in flight is stored as not made, so it is repeated after a crash with the same id.
    var kept: Kept {
        var group = self
        group.giveUpAttempt()
        return Kept(
            firing: group.firing.values.map(\.id).sorted(),
            resolved: Dictionary(group.resolved.values.map { ($0.id, $0.message.severity) }, uniquingKeysWith: { first, _ in first }),
            told: group.told, newsSince: group.newsSince, isUrgent: group.isUrgent, lastSent: group.lastSent, number: group.number,
            failures: group.failures, notBefore: group.notBefore, escalated: group.escalated.isEmpty ? nil : group.escalated,
            composed: group.composed)
    }

    /// Restores a group, without alerts that the log no longer has.
    init(_ kept: Kept, _ alert: (Int64) throws -> AlertMessage?) rethrows {
        for id in kept.firing {
            guard let message = try alert(id) else { continue }
            let logged = LoggedAlert(id: id, message: message)
            firing[logged.key] = logged
        }
        for (id, severity) in kept.resolved {
            guard var message = try alert(id) else { continue }
            message.severity = severity
            let logged = LoggedAlert(id: id, message: message)
            resolved[logged.key] = logged
        }
        told = kept.told
        escalated = kept.escalated ?? [:]
        // Alerts that no longer exist have no news.
        newsSince = firing.isEmpty && resolved.isEmpty ? nil : kept.newsSince
        isUrgent = kept.isUrgent
        lastSent = kept.lastSent
        number = kept.number
        failures = kept.failures
        notBefore = kept.notBefore
        composed = kept.composed
    }
}
