/// Durations as rule files and commands write them: `90s`, `5m`, `1h30m`, `7d`, `250ms`, `2w`.
package enum DurationText {
    private static let units: [(name: String, microseconds: Double)] = [
        ("ms", 1000), ("s", 1e6), ("m", 60e6), ("h", 3600e6), ("d", 86_400e6), ("w", 604_800e6),
    ]

    /// Microseconds, or nil for what is no duration or longer than ten years.
    package static func microseconds(_ text: String) -> Int64? {
        var rest = Substring(text.filter { $0 != " " })
        guard !rest.isEmpty else { return nil }
        var total = 0.0
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            let letters = rest.dropFirst(digits.count).prefix { $0.isLetter }
            guard let number = Double(decimal: digits), let unit = units.first(where: { $0.name == letters }) else { return nil }
            total += number * unit.microseconds
            rest = rest.dropFirst(digits.count + letters.count)
        }
        return total <= 3653 * 86_400e6 ? Int64(total.rounded()) : nil
    }

    /// The shortest writing: `1h30m`, `0s`.
    package static func text(microseconds: Int64) -> String {
        var rest = microseconds
        var text = ""
        for unit in units.reversed() where unit.name != "w" {
            let count = rest / Int64(unit.microseconds)
            if count > 0 { text += "\(count)\(unit.name)" }
            rest -= count * Int64(unit.microseconds)
        }
        return text.isEmpty ? "0s" : text
    }
}
