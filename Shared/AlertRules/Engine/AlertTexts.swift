import Foundation
package import VigilSchema

extension AlertMessage {
    /// What the engine decided, with its names and texts.
    package init(_ event: AlertEvent, _ rules: RuleSet, participant: String, decided: Int64) {
        let rule = rules.rules[event.rule]
        let alert = event.alert
        let metric = alert.metric.map { rules.metrics[$0] }
        self.init(
            participant: participant, rule: rule.id, sequence: event.sequence, transition: event.transition.rawValue,
            cause: event.cause.rawValue, time: Double(event.time) / 1e6, decided: Double(decided) / 1e6, state: alert.phase.rawValue,
            severity: alert.severity.name, priority: alert.priority.rawValue, kind: rule.kind.rawValue, group: rule.group,
            since: Double(alert.since) / 1e6, title: rule.title.byLanguage,
            message: AlertTexts.messages(event, rule, participant: participant, metric: metric))
        acknowledged = alert.isAcknowledged
        recovered = alert.isRecovered
        inhibited = alert.isInhibited
        dataLost = alert.isDataLost
        silenced = alert.isSilenced
        silencedUntil = alert.silencedUntil.map { Double($0) / 1e6 }
        clearedUntil = alert.clearedUntil.map { Double($0) / 1e6 }
        self.metric = metric
        value = alert.value
        threshold = alert.threshold
        actor = event.actor
        reason = event.reason
        escalatedTo = event.escalatedTo
        source = rule.source
    }
}

/// Writes an alert's message in each of its rule's languages.
enum AlertTexts {
    /// The rule's message with `{value}`, `{unit}`, `{threshold}`, `{duration}`, `{participant}`, `{metric}` filled in, by language.
    static func messages(_ event: AlertEvent, _ rule: Rule, participant: String, metric: String?) -> [String: String] {
        let plain = event.alert.value == nil ? "{title}." : "{title}: {value} {unit} (limit {threshold})"
        let template = rule.message ?? LocalizedText(["en": plain])
        let languages = Set(template.languages + rule.title.languages)
        return Dictionary(
            uniqueKeysWithValues: languages.map { language in
                (language, text(template.text(language) ?? "", language, event, rule, participant, metric))
            })
    }

    private static func text(
        _ template: String, _ language: String, _ event: AlertEvent, _ rule: Rule, _ participant: String, _ metric: String?
    ) -> String {
        let unit = metric.flatMap { MetricCatalogue.standard.definition(named: $0)?.unit } ?? ""
        let duration = max(0, event.time - event.alert.since) / 1_000_000 * 1_000_000
        let values = [
            "{title}": rule.title.text(language) ?? rule.id, "{participant}": participant, "{metric}": metric ?? "",
            "{value}": number(event.alert.value, language), "{threshold}": number(event.alert.threshold, language),
            "{unit}": unitName(unit, language), "{duration}": words(duration, language),
        ]
        var text = template
        for (name, value) in values { text = text.replacing(name, with: value) }
        // Where there is no unit, none of its space.
        text = text.replacing("  ", with: " ")
        if let advice = rule.advice?.text(language) { text += " " + advice }
        return text
    }

    /// At most two decimals, none that are zero.
    static func number(_ value: Double?, _ language: String = "en") -> String {
        guard let value else { return "–" }
        let rounded = (value * 100).rounded() / 100
        let text = rounded == rounded.rounded() && abs(rounded) < 1e15 ? String(Int64(rounded)) : String(rounded)
        return language == "en" ? text : text.replacing(".", with: ",")
    }

    /// A duration as people say it: its two largest parts, such as `2 min 10 s`.
    static func words(_ microseconds: Int64, _ language: String) -> String {
        let names = units[language] ?? ["d", "h", "min", "s"]
        var rest = microseconds / 1_000_000
        var parts: [String] = []
        for (name, seconds) in zip(names, [86_400, 3600, 60, 1]) {
            if rest >= seconds, parts.count < 2 { parts.append("\(rest / Int64(seconds)) \(name)") }
            rest %= Int64(seconds)
        }
        return parts.isEmpty ? "0 \(names[3])" : parts.joined(separator: " ")
    }

    private static let units = ["de": ["d", "Std.", "min", "s"], "ru": ["д", "ч", "мин", "с"]]
    private static let russian = [
        "/min": "/мин", "mm[Hg]": "мм рт. ст.", "mg/dL": "мг/дл", "uS": "мкСм", "kg/m2": "кг/м²", "kg": "кг", "cm": "см", "s": "с",
        "ms": "мс",
    ]

    /// UCUM units as people write them.
    private static func unitName(_ unit: String, _ language: String) -> String {
        if language == "ru", let name = russian[unit] { return name }
        return switch unit {
        case "Cel": "°C"
        case "mm[Hg]": "mmHg"
        case "1", "{score}": ""
        case "uS": "µS"
        case "kg/m2": "kg/m²"
        default: unit
        }
    }
}
