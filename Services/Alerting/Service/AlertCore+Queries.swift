import AlertRules
import Foundation
import JSON5
import MessageBus
import VigilSchema

extension AlertCore {
    /// The immediate answer to a question, or to a test that cannot be made.
    func answer(_ query: CommandMessage, _ handler: CommandHandler) -> [Reply] {
        guard query.command == "notify-test" else { return [] }
        return testProblem(query).map { handler.reply(Self.json(["ok": false, "error": $0])) } ?? []
    }

    /// The part of a question that the service answers outside the engine.
    func deferredCommand(for query: CommandMessage, _ handler: CommandHandler) -> DeferredCommand? {
        switch query.command {
        case "reload": DeferredCommand(kind: .reload, handler: handler)
        case "erase": DeferredCommand(kind: .erase, handler: handler)
        case "export": DeferredCommand(kind: .export(part: query.part ?? 0), handler: handler)
        case "history": DeferredCommand(kind: .history, handler: handler)
        case "notify-test":
            testProblem(query) == nil ? query.notifier.map { DeferredCommand(kind: .test(notifier: $0), handler: handler) } : nil
        case "notifiers": DeferredCommand(kind: .notifiers, handler: handler)
        case "rules": DeferredCommand(kind: .rules, handler: handler)
        default: DeferredCommand(kind: .why, handler: handler)
        }
    }

    private func testProblem(_ query: CommandMessage) -> String? {
        let known = feed.names
        guard let name = query.notifier else { return "\"notifier\" is missing: which one is to be tested" }
        guard !known.contains(name) else { return nil }
        let all = known.isEmpty ? "vigil-alert runs without --notifiers" : "there are \(known.joined(separator: ", "))"
        return "there is no notifier \"\(name.prefix(64))\"; \(Spelling.suggestion(for: String(name.prefix(64)), among: known) ?? all)"
    }

    /// The answer to `rules`, as JSON, cached for all askers.
    func rules() -> String {
        if let describedRules { return describedRules }
        let described = Self.json(["ok": true, "rules": memory.engine.rules.rules.map(describe)])
        describedRules = described
        return described
    }

    /// The answer to `history`, as JSON. It is built outside the core's turn, so that no alarm waits.
    nonisolated func history(_ participant: String, _ rule: String) async -> String {
        do {
            let events = try await history.newest(
                participant: participant == "all" ? nil : participant, rule: rule == "all" ? nil : rule, limit: 200)
            let list = events.joined(separator: [UInt8(ascii: ",")])
            return #"{"events":["# + String(decoding: Array(list), as: UTF8.self) + #"],"ok":true}"#
        } catch {
            return Self.json(["ok": false, "error": "\(error)"])
        }
    }

    /// The answer to `why`, as JSON.
    /// - Parameter deliveries: what became of the alert's notifications, in lines.
    func why(_ participant: String, _ rule: String, deliveries: [String]) -> String {
        if rule == "all" { return limits(participant) }
        guard let index = memory.engine.rules.rule(named: rule) else {
            return Self.json(["ok": false, "error": memory.engine.rules.unknownRule(rule).description])
        }
        guard let person = memory.engine.knownIndex(of: participant) else {
            return Self.json(["ok": false, "error": "nothing was ever heard of participant \"\(participant)\""])
        }
        return Self.json(["ok": true, "lines": memory.engine.explain(participant: person, rule: index) + deliveries])
    }

    /// For all rules together: how far each metric may go before one of them alarms.
    private func limits(_ participant: String) -> String {
        guard let person = memory.engine.knownIndex(of: participant) else { return Self.json(["ok": true, "limits": [Any]()]) }
        let limits = memory.engine.limits(participant: person).map { limits in
            var item: [String: Any] = ["metric": limits.metric]
            if let low = limits.low, low.isFinite { item["low"] = low }
            if let high = limits.high, high.isFinite { item["high"] = high }
            return item
        }
        return Self.json(["ok": true, "limits": limits])
    }

    private func describe(_ rule: Rule) -> [String: Any] {
        [
            "id": rule.id, "title": rule.title.byLanguage, "kind": rule.kind.rawValue, "group": rule.group, "source": rule.source ?? "",
            "severities": rule.levels.map(\.severity.name), "latching": rule.isLatching,
        ]
    }

    static func json(_ value: [String: Any]) -> String {
        // Texts, numbers, lists and objects only, so always valid JSON.
        guard let data = try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes]) else {
            return "{}"
        }
        return String(decoding: data, as: UTF8.self)
    }
}

extension AlertCore {
    /// A notifier's stored state.
    func notifier(_ name: String) async throws -> (groups: [String: NotificationGroup], covered: Int64, present: [LoggedAlert]) {
        guard let covered = try store.cursor(of: name) else {
            return ([:], try store.lastEntry(), try store.present().map(Self.logged))
        }
        var kept: [String: NotificationGroup.Kept] = [:]
        for (key, state) in try store.groups(of: name) {
            kept[key] = try JSONDecoder().decode(NotificationGroup.Kept.self, from: Data(state))
        }
        let known = try await store.transitions(Set(kept.values.flatMap { $0.firing + $0.resolved.keys }).sorted())
        let groups = try kept.mapValues { kept in
            try NotificationGroup(kept) { try known[$0].map { try AlertMessage(decoding: $0.content) } }
        }
        return (groups, covered, [])
    }

    /// The transitions after a number, with the number to continue from; `isAll`: there are no more.
    /// - Parameter withFacts: whether people's profiles and sensors are needed.
    func transitions(
        after id: Int64, withFacts: Bool = false
    ) async throws -> (alerts: [LoggedAlert], last: Int64, isAll: Bool) {
        let entries = try await store.transitions(after: id, limit: 500)
        let alerts = try entries.map(Self.logged).map { withFacts ? withFactsOf($0) : $0 }
        return (alerts, entries.last?.id ?? id, entries.count < 500)
    }

    /// The present alerts, each with its last transition.
    func presentAlerts(withFacts: Bool) throws -> [LoggedAlert] {
        try store.present().map(Self.logged).map { withFacts ? withFactsOf($0) : $0 }
    }

    private func withFactsOf(_ alert: LoggedAlert) -> LoggedAlert {
        var alert = alert
        alert.sources = memory.engine.sources(of: alert.message.participant, rule: alert.message.rule)
        alert.profile = memory.engine.profileWords(of: alert.message.participant)
        return alert
    }

    private static func logged(_ entry: AlertEntry) throws -> LoggedAlert {
        LoggedAlert(id: entry.id, message: try AlertMessage(decoding: entry.content))
    }

    /// Stores a notifier's cursor and its changed groups.
    func keep(notifier: String, coveredTo id: Int64, _ groups: [(key: String, group: NotificationGroup?)]) throws {
        let states = try groups.map { key, group in (name: key, state: try group.map { [UInt8](try JSONEncoder().encode($0.kept)) }) }
        try store.keep(notifier: notifier, coveredTo: id, states)
    }

    /// The notification with the newest values.
    func newest(_ notification: Notification) -> Notification {
        var notification = notification
        notification.alerts = notification.alerts.map { shown.newest($0, memory.engine) }
        return notification
    }

    /// The names of notifiers that were reported as failing.
    var reportedNotifiers: [String] {
        let prefix = TechnicalMetric.participant(service: "vigil-notifier", instance: "")
        return memory.engine.names.compactMap { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : nil }
    }
}
