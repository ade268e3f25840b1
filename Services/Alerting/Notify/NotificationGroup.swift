import AlertRules
import VigilSchema

/// What one notifier knows of one group of alerts: a value, kept over restarts. Times in microseconds of the engine's clock, which goes on evenly.
struct NotificationGroup: Codable, Hashable, Sendable {
    /// The alerts that fire, by participant and rule.
    var firing: [String: AlertMessage] = [:]
    /// Ended since the last notification, and told of before.
    var resolved: [String: AlertMessage] = [:]
    /// Those of `firing` that the last notification held.
    var told: Set<String> = []
    /// When the oldest news came that was not told; nil: no news.
    var newsSince: Int64?
    /// Whether the news is of high priority.
    var isUrgent = false
    var lastSent: Int64?
    /// Notifications so far.
    var number = 0
    /// Failed attempts since the last success.
    var failures = 0
    var notBefore: Int64 = 0

    var isEmpty: Bool { firing.isEmpty && resolved.isEmpty && newsSince == nil }

    mutating func take(_ message: AlertMessage, _ route: NotifierRoute, now: Int64) {
        let key = "\(message.participant)/\(message.rule)"
        if message.isAudible, !message.recovered || firing[key] != nil, route.concerns(message) {
            fire(key, message, now: now)
        } else if let before = firing.removeValue(forKey: key), told.contains(key), message.state == "none" {
            var ended = message
            ended.severity = before.severity
            resolved[key] = ended
            if route.tellsResolved { note(now, urgent: false) }
        } else if firing.isEmpty, resolved.isEmpty {
            newsSince = nil
        }
    }

    private mutating func fire(_ key: String, _ message: AlertMessage, now: Int64) {
        let before = firing.updateValue(message, forKey: key)
        resolved[key] = nil
        let isWorse = before.map { Severity(name: $0.severity) ?? .none < Severity(name: message.severity) ?? .none } ?? true
        let isNews = isWorse || message.transition == "recurred" || message.transition == "escalated"
        if isNews, !message.acknowledged { note(now, urgent: message.priority == AlertPriority.high.rawValue) }
    }

    private mutating func note(_ now: Int64, urgent: Bool) {
        newsSince = min(newsSince ?? now, now)
        isUrgent = isUrgent || urgent
    }

    /// When something is to be sent; nil: nothing is waiting.
    func due(_ route: NotifierRoute) -> Int64? {
        if let newsSince {
            if isUrgent { return max(newsSince, notBefore) }
            let due = lastSent.map { max(newsSince, $0 + route.groupInterval) } ?? newsSince + route.groupWait
            return max(due, notBefore)
        }
        guard let lastSent, firing.values.contains(where: { !$0.acknowledged }) else { return nil }
        return max(lastSent + route.repeatInterval, notBefore)
    }

    /// After success.
    mutating func sent(at now: Int64) {
        told = Set(firing.keys)
        resolved = [:]
        newsSince = nil
        isUrgent = false
        lastSent = now
        number += 1
        failures = 0
        notBefore = 0
    }

    /// After failure: the next attempt waits twice as long as the last, five minutes at most.
    mutating func failed(at now: Int64) {
        failures += 1
        notBefore = now + min(300, 1 << min(failures - 1, 9)) * 1_000_000
    }
}
