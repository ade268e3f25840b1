import Foundation

/// The printed table.
enum Table {
    static let header = row("benchmark", "value", "limit", "ratio", "goal", "met", "unit")

    static func row(_ outcome: Outcome, _ goal: Goal) -> String {
        let target =
            switch goal {
            case .ratio(let number): "≥ \(number) ×"
            case .atMostRatio(let number): "≤ \(number) ×"
            case .atLeast(let least): "≥ \(number(least))"
            case .atMost(let most): "≤ \(number(most))"
            }
        return row(
            outcome.name, number(outcome.value), outcome.limit.map(number) ?? "–",
            outcome.ratio.map { String(format: "%.2f", $0) } ?? "–", target, outcome.met ? "yes" : "NO", outcome.unit)
    }

    /// Three significant digits, thousands apart.
    static func number(_ value: Double) -> String {
        guard abs(value) >= 1000 else { return String(format: abs(value) >= 100 ? "%.0f" : "%.3g", value) }
        var digits = String(format: "%.0f", value)
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return ([digits] + groups).joined(separator: " ")
    }

    private static func row(
        _ name: String, _ value: String, _ limit: String, _ ratio: String, _ goal: String, _ met: String, _ unit: String
    ) -> String {
        pad(name, 24, left: true) + pad(value, 12) + pad(limit, 12) + pad(ratio, 7) + pad(goal, 12) + pad(met, 5) + "  " + unit
    }

    private static func pad(_ text: String, _ width: Int, left: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - text.count))
        return left ? text + blanks : blanks + text
    }
}
