/// A way to write times that is none of ISO 8601's: `M/d/yyyy h:mm:ss a`, `dd.MM.yyyy HH:mm`.
///
/// Letters as Unicode's date patterns have them: `y` year, `M` month, `d` day, `H` hour, `h` hour of twelve with `a`, `m` minute, `s` second; a
/// number may have fewer digits than letters say. Everything else stands for itself.
struct MappingTimePattern: Sendable, Hashable {
    private enum Part: Hashable {
        case number(Character, digits: Int)
        case halfOfDay
        case literal(Character)
    }

    private let parts: [Part]

    /// Nil where it has no year, month and day.
    init?(_ text: String) {
        var parts: [Part] = []
        var letters: Set<Character> = []
        var rest = Substring(text)
        while let letter = rest.first {
            let run = rest.prefix { $0 == letter }
            if letter == "a" {
                parts.append(.halfOfDay)
            } else if "yMdHhms".contains(letter) {
                parts.append(.number(letter, digits: Swift.max(run.count, 2)))
                letters.insert(letter)
            } else {
                parts += run.map { .literal($0) }
            }
            rest = rest.dropFirst(run.count)
        }
        guard letters.isSuperset(of: "yMd"), parts.contains(.halfOfDay) == letters.contains("h") else { return nil }
        self.parts = parts
    }

    /// The same time as ISO 8601 writes it, without a zone; nil where the text is not of this kind.
    func iso(_ text: String) -> String? {
        var values: [Character: Int] = [:]
        var isAfternoon = false
        var rest = Substring(text)
        for part in parts {
            switch part {
            case .literal(let character):
                guard rest.first == character || character == " " && rest.first?.isWhitespace == true else { return nil }
                rest.removeFirst()
            case .halfOfDay:
                let half = rest.prefix(2).lowercased()
                guard half == "am" || half == "pm" else { return nil }
                isAfternoon = half == "pm"
                rest = rest.dropFirst(2)
            case .number(let letter, let digits):
                let found = rest.prefix(digits).prefix { $0.isASCII && $0.isNumber }
                guard let value = Int(found) else { return nil }
                values[letter] = letter == "y" && found.count <= 2 ? 2000 + value : value
                rest = rest.dropFirst(found.count)
            }
        }
        guard rest.isEmpty, let year = values["y"], let month = values["M"], let day = values["d"] else { return nil }
        let twelve = values["h"].map { $0 % 12 + (isAfternoon ? 12 : 0) }
        let clock = [twelve ?? values["H"] ?? 0, values["m"] ?? 0, values["s"] ?? 0]
        return Self.padded(year, 4) + "-" + Self.padded(month) + "-" + Self.padded(day) + "T"
            + clock.map { Self.padded($0) }.joined(separator: ":")
    }

    private static func padded(_ number: Int, _ digits: Int = 2) -> String {
        let text = String(number)
        return String(repeating: "0", count: Swift.max(0, digits - text.count)) + text
    }
}
