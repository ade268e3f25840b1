import Foundation
import VigilSchema

/// Writes an alert's message in each of its rule's languages.
enum AlertTexts {
    /// The rule's message with `{value}`, `{unit}`, `{threshold}`, `{duration}`, `{participant}`, `{metric}` filled in, by language.
    static func messages(_ event: AlertEvent, _ rule: Rule, participant: String, metric: String?) -> [String: String] {
        let template = rule.message ?? LocalizedText(["en": "{title}: {value} {unit} (limit {threshold})"])
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
            "{value}": number(event.alert.value), "{threshold}": number(event.alert.threshold),
            "{unit}": unitName(unit), "{duration}": DurationText.text(microseconds: duration),
        ]
        var text = template
        for (name, value) in values { text = text.replacing(name, with: value) }
        if let advice = rule.advice?.text(language) { text += " " + advice }
        return text
    }

    /// At most two decimals, none that are zero.
    static func number(_ value: Double?) -> String {
        guard let value else { return "–" }
        let rounded = (value * 100).rounded() / 100
        return rounded == rounded.rounded() && abs(rounded) < 1e15 ? String(Int64(rounded)) : String(rounded)
    }

    /// UCUM units as people write them.
    private static func unitName(_ unit: String) -> String {
        switch unit {
        case "Cel": "°C"
        case "mm[Hg]": "mmHg"
        case "1", "{score}": ""
        case "uS": "µS"
        case "kg/m2": "kg/m²"
        default: unit
        }
    }
}
