import Foundation
package import VigilSchema

extension AlertMessage {
    /// A decision of the engine, with its names and texts.
    package init(_ event: AlertEvent, _ rules: RuleSet, participant: String, decided: Int64) {
        let rule = rules.rules[event.rule]
        let alert = event.alert
        let metric = alert.metric.map { rules.metrics[$0] }
        self.init(
            participant: participant, rule: rule.id, sequence: event.sequence, transition: event.transition.rawValue,
            cause: event.cause.rawValue, time: Double(event.time) / 1e6, decided: Double(decided) / 1e6, state: alert.phase.rawValue,
            severity: alert.severity.name, priority: alert.priority.rawValue, kind: rule.kind.rawValue, group: rule.group,
            since: Double(alert.since) / 1e6, title: rule.title.byLanguage,
            message: AlertTexts.messages(event, rule, participant: participant, metric: metric, decided: decided))
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

    /// The same state of the alert with its newest value, in figures and words.
    /// - Parameter time: event time in microseconds.
    package func updated(to alert: AlertSnapshot, _ rule: Rule, _ rules: RuleSet, at time: Int64) -> AlertMessage {
        var message = self
        message.metric = alert.metric.map { rules.metrics[$0] }
        message.value = alert.value
        message.threshold = alert.threshold
        message.updated = Double(time) / 1e6
        message.message = AlertTexts.messages(alert, at: time, rule, participant: participant, metric: message.metric)
        return message
    }
}

/// Writes an alert's message in each of its rule's languages.
package enum AlertTexts {
    private static let plain = Translations(["en": "{title}.", "de": "{title}.", "ru": "{title}."])
    private static let compared = Translations([
        "en": "{title}: {value} {unit} (limit {threshold}).", "de": "{title}: {value} {unit} (Grenze {threshold}).",
        "ru": "{title}: {value} {unit} (предел {threshold}).",
    ])
    private static let silenced = Translations([
        "en": "{title}: silenced for {duration}.", "de": "{title}: stumm für {duration}.", "ru": "{title}: без звука на {duration}.",
    ])

    private static let late = Translations([
        "en": "{title}: {value} {unit} (limit {threshold}), measured {duration} before it came.",
        "de": "{title}: {value} {unit} (Grenze {threshold}), gemessen {duration} vor dem Eintreffen.",
        "ru": "{title}: {value} {unit} (предел {threshold}), измерено за {duration} до получения.",
    ])

    /// The mark of a value that is no longer of now.
    private static let lost = Translations([
        "en": "No data any more; this was the last value.", "de": "Keine Daten mehr; dies war der letzte Wert.",
        "ru": "Данных больше нет; это последнее значение.",
    ])

    private static let profile = Translations([
        "en": "Changed: what the rules know of the person.", "de": "Geändert: was die Regeln über die Person wissen.",
        "ru": "Изменено: что правила знают о человеке.",
    ])

    /// An event's message by language.
    static func messages(
        _ event: AlertEvent, _ rule: Rule, participant: String, metric: String?, decided: Int64
    ) -> [String: String] {
        // It stands at one of the rules, but is not about what that rule judges.
        if event.transition == .profileChanged { return profile.byLanguage }
        if event.transition == .foundLate {
            return messages(late, event.alert, duration: decided - event.time, rule, participant: participant, metric: metric)
        }
        guard event.alert.phase == .none, event.transition == .silenced, let end = event.alert.silencedUntil else {
            return messages(event.alert, at: event.time, rule, participant: participant, metric: metric)
        }
        // Nothing fires: what there is to tell is the silence.
        return messages(silenced, event.alert, duration: end - event.time, rule, participant: participant, metric: metric)
    }

    /// The rule's message with `{value}`, `{unit}`, `{threshold}`, `{duration}`, `{participant}`, `{metric}` filled in, by language.
    static func messages(_ alert: AlertSnapshot, at time: Int64, _ rule: Rule, participant: String, metric: String?) -> [String: String] {
        let template = rule.message ?? (alert.value == nil ? plain : compared)
        let duration = alert.since > 0 ? time - alert.since : 0
        return messages(template, alert, duration: duration, rule, participant: participant, metric: metric)
    }

    private static func messages(
        _ template: Translations, _ alert: AlertSnapshot, duration: Int64, _ rule: Rule, participant: String, metric: String?
    ) -> [String: String] {
        let own = rule.message == nil ? rule.title.languages : template.languages + rule.title.languages
        return Dictionary(
            uniqueKeysWithValues: Set(own).map { language in
                let values = values(alert, duration, language, rule, participant, metric)
                let parts = [
                    text(line(template, alert, duration, language), values),
                    alert.isDataLost && alert.value != nil ? lost.text(language) : nil,
                    rule.advice?.text(language).map(sentence),
                ]
                return (language, parts.compactMap(\.self).joined(separator: " "))
            })
    }

    /// The template's line; one that tells for how long is left for the plain one while that is not even a second.
    private static func line(_ template: Translations, _ alert: AlertSnapshot, _ duration: Int64, _ language: String) -> String {
        let line = template.text(language) ?? ""
        guard duration < 1_000_000, line.contains("{duration}") else { return line }
        return (alert.value == nil ? plain : compared).byLanguage[language] ?? line
    }

    private static func values(
        _ alert: AlertSnapshot, _ duration: Int64, _ language: String, _ rule: Rule, _ participant: String, _ metric: String?
    ) -> [(String, String)] {
        let definition = metric.flatMap { MetricCatalogue.standard.definition(named: $0) }
        let unit = definition?.unit ?? ""
        let other = definition.flatMap { otherUnit(alert.value, $0, language) } ?? ""
        return [
            ("{title}", rule.title.text(language) ?? rule.id), ("{participant}", participant), ("{metric}", metric ?? ""),
            ("{value}", number(alert.value, language)), ("{threshold}", number(alert.threshold, language)),
            ("{unit}", unitName(unit, language) + other), ("{duration}", words(max(0, duration) / 1_000_000 * 1_000_000, language)),
        ]
    }

    /// A glucose in the unit of those who do not measure in mg/dL, in brackets; nil for what is no level of it.
    private static func otherUnit(_ value: Double?, _ metric: MetricDefinition, _ language: String) -> String? {
        guard metric.name == "blood-glucose", let value, metric.plausible?.contains(value) ?? false else { return nil }
        guard let one = UnitConversion.from("mmol/L", to: metric)?(1), one > 0 else { return nil }
        return " (\(number((value / one * 10).rounded() / 10, language)) \(unitName("mmol/L", language)))"
    }

    private static func text(_ template: String, _ values: [(String, String)]) -> String {
        var text = template
        for (name, value) in values { text = text.replacing(name, with: value) }
        // Where there is no unit, none of its space.
        for (gap, closed) in [("  ", " "), (" .", "."), (" ,", ","), (" )", ")")] { text = text.replacing(gap, with: closed) }
        while text.last == " " { text.removeLast() }
        return sentence(text)
    }

    private static func sentence(_ text: String) -> String {
        guard let last = text.last else { return "" }
        return ".!?".contains(last) ? text : text + "."
    }

    /// At most two decimals, none that are zero.
    package static func number(_ value: Double?, _ language: String = "en") -> String {
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

    /// UCUM units as people say them, by language; the others are written alike everywhere.
    private static let spoken: [String: [String: String]] = [
        "en": ["/min": "per minute", "/d": "per day", "h": "hours", "{steps}": "steps", "{floors}": "floors"],
        "de": ["/min": "pro Minute", "/d": "pro Tag", "h": "Stunden", "{steps}": "Schritte", "{floors}": "Stockwerke"],
        "ru": [
            "/min": "в минуту", "/d": "в день", "h": "ч", "mm[Hg]": "мм рт. ст.", "mg/dL": "мг/дл", "mmol/L": "ммоль/л", "uS": "мкСм",
            "kg/m2": "кг/м²", "kg": "кг", "cm": "см", "m": "м", "s": "с", "ms": "мс", "L/min": "л/мин", "{steps}": "шагов",
            "{floors}": "этажей",
            "min": "мин", "kcal": "ккал",
        ],
    ]

    private static func unitName(_ unit: String, _ language: String) -> String {
        if let name = spoken[language]?[unit] { return name }
        return switch unit {
        case "Cel": "°C"
        case "mm[Hg]": "mmHg"
        case "1", "{score}": ""
        case "uS": "µS"
        case "kg/m2": "kg/m²"
        case "ms2": "ms²"
        default: unit
        }
    }
}
