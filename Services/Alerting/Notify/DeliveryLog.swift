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

    /// The time at which the receiver had it, 0 before the last start; nil while it has not.
    var told: Double? { accepted ?? (sent == nil ? 0 : nil) }

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
    private var deliveries: [String: (delivery: AlertDelivery, number: Int)] = [:]
    /// The alerts in the order in which they came, also those that were forgotten since.
    private var order: [(alert: String, number: Int)] = []
    /// The index of the oldest in `order`.
    private var oldest = 0
    private var number = 0

    subscript(alert: String) -> AlertDelivery? { deliveries[alert]?.delivery }

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
        if alert.message.transition == "raised" { deliveries[alert.key] = nil }
        guard alert.message.transition == "acknowledged", deliveries[alert.key] != nil else { return }
        change(alert.key) { ($0.answeredBy, $0.answered) = (alert.message.actor, alert.message.decided) }
    }

    mutating func forget(where isForgotten: (String) -> Bool) { deliveries = deliveries.filter { !isForgotten($0.key) } }

    private mutating func change(_ alert: String, _ body: (inout AlertDelivery) -> Void) {
        if deliveries[alert] == nil {
            number += 1
            deliveries[alert] = (AlertDelivery(), number)
            order.append((alert, number))
        }
        body(&deliveries[alert, default: (AlertDelivery(), number)].delivery)
        while deliveries.count > Self.capacity { dropOldest() }
        guard order.count - oldest > 2 * Self.capacity || oldest > Self.capacity else { return }
        order = order[oldest...].filter { deliveries[$0.alert]?.number == $0.number }
        oldest = 0
    }

    private mutating func dropOldest() {
        let (alert, number) = order[oldest]
        if deliveries[alert]?.number == number { deliveries[alert] = nil }
        oldest += 1
    }
}

extension Notification {
    /// The firing alerts, by participant and rule.
    var keys: [String] { alerts.map { "\($0.participant)/\($0.rule)" } }
}
