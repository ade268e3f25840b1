import Foundation
import Plotting
import VigilSchema

/// Numbers as one reader wants them: language, units of one's own, no more digits than mean something.
struct ReportNumbers: Sendable {
    let words: PageWords.Language
    /// The reader's own units by the catalogue's; the catalogue's where there is none.
    let units: [String: String]
    let zone: TimeZone

    /// The reader's units as the account keeps them: `unit-mg/dL` is `mmol/L`.
    static func units(of preferences: [String: Preference]) -> [String: String] {
        preferences.reduce(into: [:]) { units, entry in
            if entry.key.hasPrefix("unit-"), case .text(let unit) = entry.value { units[String(entry.key.dropFirst(5))] = unit }
        }
    }

    /// A value in the reader's unit, and that unit.
    func own(_ value: Double, _ metric: String, _ unit: String) -> (value: Double, unit: String) {
        // Of what is measured in mg/dL only glucose: as the pages do.
        guard let wanted = units[unit], wanted != unit, unit != "mg/dL" || metric.hasPrefix("blood-glucose"),
            let definition = MetricCatalogue.standard.definition(named: metric),
            definition.unit == unit, let conversion = UnitConversion.from(wanted, to: definition)
        else { return (value, unit) }
        return ((value - conversion.offset) / conversion.scale, wanted)
    }

    /// A value with its unit.
    func text(_ value: Double, _ metric: String, _ unit: String) -> String {
        let (value, unit) = own(value, metric, unit)
        return "\(number(value, digits(value, metric))) \(name(of: unit))".trimmingCharacters(in: .whitespaces)
    }

    /// A number without a unit.
    func number(_ value: Double, _ digits: Int) -> String {
        let text = String(format: "%.\(digits)f", value)
        return words.name == "en" ? text : text.replacing(".", with: ",")
    }

    /// The unit as people write it, short: a column is narrow. What is counted is its own unit.
    func name(of unit: String) -> String {
        words.known("unit.\(unit)") ?? (unit == "/min" ? unit : unit.hasPrefix("{") ? "" : PlotCaption.unit(unit))
    }

    func metric(_ name: String) -> String {
        words.known("metric.\(name)") ?? MetricCatalogue.standard.definition(named: name)?.title ?? name
    }

    func date(_ seconds: Double) -> String { Self.format("dd.MM.yyyy", "d MMM yyyy", seconds, words.name, zone) }

    func moment(_ seconds: Double) -> String { Self.format("dd.MM.yyyy HH:mm", "d MMM yyyy HH:mm", seconds, words.name, zone) }

    func exact(_ seconds: Double) -> String { Self.format("dd.MM.yyyy HH:mm:ss", "d MMM yyyy HH:mm:ss", seconds, words.name, zone) }

    /// A day in a file's name.
    func fileDate(_ seconds: Double) -> String { Self.format("yyyy-MM-dd", "yyyy-MM-dd", seconds, words.name, zone) }

    private func digits(_ value: Double, _ metric: String) -> Int {
        let whole = ["rate", "pressure", "saturation", "score", "steps"]
        if whole.contains(where: metric.hasSuffix) || abs(value) >= 100 { return 0 }
        return abs(value) < 2 ? 2 : 1
    }

    private static func format(_ local: String, _ english: String, _ seconds: Double, _ language: String, _ zone: TimeZone) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = zone
        formatter.dateFormat = language == "en" ? english : local
        return formatter.string(from: Date(timeIntervalSince1970: seconds))
    }
}
