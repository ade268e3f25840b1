import Foundation
import VigilSchema

/// What became of the notifications of one alert to one receiver. Times are Unix seconds.
struct AlertDelivery: Hashable, Sendable {
    /// The first attempt; nil: before the last start.
    var sent: Double?
    var accepted: Double?
    /// The notifier by whose way it was accepted.
    var way: String?
    /// The failed attempts, of all ways.
    var failures = 0
    /// The reason of the last failure.
    var reason: String?
    /// Who has acknowledged it.
    var answeredBy: String?
    var answered: Double?

    /// As text for `vigil alerts why`.
    func line(_ notifier: String) -> String {
        var parts = [sent.map { "sent \(Self.time($0))" } ?? "sent before the last start"]
        if failures > 0 { parts.append("failed \(failures) times (\(reason ?? ""))") }
        if let accepted { parts.append("accepted \(Self.time(accepted))\(way == notifier ? "" : " by \(way ?? "")")") }
        if let answered { parts.append("answered \(Self.time(answered)) by \(answeredBy ?? "somebody")") }
        return "\(notifier): \(parts.joined(separator: ", "))"
    }

    private static func time(_ seconds: Double) -> String { Date(timeIntervalSince1970: seconds.rounded(.down)).formatted(.iso8601) }
}

/// The deliveries of one notifier by alert, the newest; a value.
struct DeliveryLog: Sendable {
    /// The most alerts. The oldest is forgotten first.
    static let capacity = 4096
    private var deliveries: [String: AlertDelivery] = [:]
    private var order: [String] = []

    subscript(alert: String) -> AlertDelivery? { deliveries[alert] }

    /// Notes alerts that were sent before the last start.
    mutating func restore(_ alerts: some Sequence<String>) {
        for alert in alerts where deliveries[alert] == nil { change(alert) { _ in } }
    }

    mutating func began(_ alerts: [String], at time: Double) {
        for alert in alerts { change(alert) { if $0.sent == nil { $0.sent = time } } }
    }

    mutating func accepted(_ alerts: [String], by way: String, at time: Double) {
        for alert in alerts { change(alert) { ($0.accepted, $0.way) = ($0.accepted ?? time, $0.way ?? way) } }
    }

    mutating func failed(_ alerts: [String], _ reason: String) {
        for alert in alerts { change(alert) { ($0.failures, $0.reason) = ($0.failures + 1, reason) } }
    }

    /// Follows an alert: one that is raised anew begins anew, and one that is acknowledged was answered.
    mutating func follow(_ alert: LoggedAlert) {
        if alert.message.transition == "raised" { forget { $0 == alert.key } }
        guard alert.message.transition == "acknowledged", deliveries[alert.key] != nil else { return }
        change(alert.key) { ($0.answeredBy, $0.answered) = (alert.message.actor, alert.message.decided) }
    }

    mutating func forget(where isForgotten: (String) -> Bool) {
        deliveries = deliveries.filter { !isForgotten($0.key) }
        order.removeAll(where: isForgotten)
    }

    private mutating func change(_ alert: String, _ body: (inout AlertDelivery) -> Void) {
        if deliveries[alert] == nil { order.append(alert) }
        body(&deliveries[alert, default: AlertDelivery()])
        if order.count > Self.capacity { deliveries[order.removeFirst()] = nil }
    }
}

extension Notification {
    /// The firing alerts, by participant and rule.
    var keys: [String] { alerts.map { "\($0.participant)/\($0.rule)" } }
}
