import AlertRules
import Foundation

extension AlertCore {
    /// The answer to `why`, `history` or `rules`, as JSON.
    func answer(_ query: CommandMessage, _ participant: String, _ rule: String) -> String {
        switch query.command {
        case "history": history(participant == "all" ? nil : participant, rule == "all" ? nil : rule)
        case "rules": Self.json(["ok": true, "rules": engine.rules.rules.map(describe)])
        default: why(participant, rule)
        }
    }

    private func history(_ participant: String?, _ rule: String?) -> String {
        do {
            let events = try store.history(participant: participant, rule: rule, limit: 200)
            let parsed = events.compactMap { try? JSONSerialization.jsonObject(with: Data($0)) }
            return Self.json(["ok": true, "events": parsed])
        } catch {
            return Self.json(["ok": false, "error": "\(error)"])
        }
    }

    private func why(_ participant: String, _ rule: String) -> String {
        guard let place = engine.rules.rule(named: rule) else {
            return Self.json(["ok": false, "error": engine.rules.unknownRule(rule).description])
        }
        guard let person = engine.knownPlace(of: participant) else {
            return Self.json(["ok": false, "error": "nothing was ever heard of participant \"\(participant)\""])
        }
        return Self.json(["ok": true, "lines": engine.explain(participant: person, rule: place)])
    }

    private func describe(_ rule: Rule) -> [String: Any] {
        [
            "id": rule.id, "title": rule.title.byLanguage, "kind": rule.kind.rawValue, "group": rule.group, "source": rule.source ?? "",
            "severities": rule.levels.map(\.severity.name), "latching": rule.isLatching,
        ]
    }

    private static func json(_ value: [String: Any]) -> String {
        // Texts, numbers, lists and objects only: always JSON.
        guard let data = try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes]) else {
            return "{}"
        }
        return String(decoding: data, as: UTF8.self)
    }
}
