import Foundation

/// An alert's transition or present state, as it is published.
package struct AlertMessage: Codable, Hashable, Sendable {
    package var schema = "vigil/1"
    package var participant: String
    package var rule: String
    /// Counts this alert's transitions from 1: with participant and rule the transition's identity.
    package var sequence: UInt32
    package var transition: String
    /// `reading`, `timer`, `command`, `inhibition` or `rules`.
    package var cause: String
    /// When it happened, in Unix seconds of event time.
    package var time: Double
    /// When the service decided it, in Unix seconds.
    package var decided: Double
    /// `none`, `pending` or `active`.
    package var state: String
    package var severity: String
    package var priority: String
    /// `medical` or `technical`.
    package var kind: String
    package var group: String
    package var acknowledged: Bool
    /// The condition ended, but the alert waits to be acknowledged.
    package var recovered: Bool
    package var inhibited: Bool
    package var dataLost: Bool
    package var silenced: Bool
    package var silencedUntil: Double?
    /// When it was raised or became pending.
    package var since: Double
    package var metric: String?
    package var value: Double?
    package var threshold: Double?
    package var actor: String?
    package var reason: String?
    package var escalatedTo: String?
    package var title: [String: String]
    package var message: [String: String]
    package var source: String?

    /// Whether people should be told: active, not silenced, not inhibited.
    package var isAudible: Bool { state == "active" && !silenced && !inhibited }

    init(_ event: AlertEvent, _ rules: RuleSet, participant: String, decided: Int64) {
        let rule = rules.rules[event.rule]
        let metric = event.alert.metric.map { rules.metrics[$0] }
        self.participant = participant
        self.rule = rule.id
        sequence = event.sequence
        transition = event.transition.rawValue
        cause = event.cause.rawValue
        time = Double(event.time) / 1e6
        self.decided = Double(decided) / 1e6
        state = event.alert.phase.rawValue
        severity = event.alert.severity.name
        priority = event.alert.priority.rawValue
        kind = rule.kind.rawValue
        group = rule.group
        acknowledged = event.alert.isAcknowledged
        recovered = event.alert.isRecovered
        inhibited = event.alert.isInhibited
        dataLost = event.alert.isDataLost
        silenced = event.alert.isSilenced
        silencedUntil = event.alert.silencedUntil.map { Double($0) / 1e6 }
        since = Double(event.alert.since) / 1e6
        self.metric = metric
        value = event.alert.value
        threshold = event.alert.threshold
        actor = event.actor
        reason = event.reason
        escalatedTo = event.escalatedTo
        title = rule.title.byLanguage
        message = AlertTexts.messages(event, rule, participant: participant, metric: metric)
        source = rule.source
    }

    /// As JSON, keys sorted.
    package func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(self))
    }

    /// From JSON.
    package init(decoding bytes: [UInt8]) throws { self = try JSONDecoder().decode(AlertMessage.self, from: Data(bytes)) }
}
