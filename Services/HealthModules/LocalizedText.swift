import Foundation

/// A text in the languages that every module speaks.
package struct LocalizedText: Hashable, Sendable, Codable {
    package var en: String
    package var de: String
    package var ru: String

    package init(_ en: String, de: String, ru: String) {
        self.en = en
        self.de = de
        self.ru = ru
    }

    /// The text in a language; in English for any other.
    package subscript(_ language: String) -> String {
        switch language.prefix(2) {
        case "de": de
        case "ru": ru
        default: en
        }
    }

    /// The texts one after the other, with a separator in between.
    package static func joined(_ texts: [LocalizedText], by separator: String = "; ") -> LocalizedText {
        LocalizedText(
            texts.map(\.en).joined(separator: separator), de: texts.map(\.de).joined(separator: separator),
            ru: texts.map(\.ru).joined(separator: separator))
    }
}

/// A number as the languages write it: with a decimal point, or with a decimal comma in German and Russian.
package struct WrittenNumber: Sendable, CustomStringConvertible {
    /// As English writes it.
    package let point: String

    /// As German and Russian write it.
    package var comma: String { point.replacing(".", with: ",") }
    package var description: String { point }
}

extension Double {
    /// Rounded to a number of decimals, to be written.
    package func written(_ decimals: Int = 0) -> WrittenNumber {
        guard isFinite, abs(self) < 1e15 else { return WrittenNumber(point: "?") }
        let text = String(format: "%.\(decimals)f", self)
        // A negative number that rounds to nothing is nothing.
        return WrittenNumber(point: text.hasPrefix("-") && text.allSatisfy { "-0.".contains($0) } ? String(text.dropFirst()) : text)
    }

    /// Rounded to a number of decimals.
    package func rounded(to decimals: Int) -> Double {
        let scale = [1.0, 10, 100, 1000, 10_000, 100_000][min(max(decimals, 0), 5)]
        return (self * scale).rounded() / scale
    }
}

/// Nouns with the number of things before them.
package enum Counted {
    /// "1 day", "9 days".
    package static func days(_ count: Int) -> LocalizedText {
        LocalizedText(
            "\(count) \(count == 1 ? "day" : "days")", de: "\(count) \(count == 1 ? "Tag" : "Tage")",
            ru: "\(count) \(russian(count, "день", "дня", "дней"))")
    }

    /// The same after a preposition that asks for the dative in German: "seit 9 Tagen".
    package static func sinceDays(_ count: Int) -> LocalizedText {
        var text = days(count)
        if count != 1 { text.de += "n" } else { text.de = "einem Tag" }
        return text
    }

    /// The form of a Russian noun that a number asks for.
    package static func russian(_ count: Int, _ one: String, _ few: String, _ many: String) -> String {
        let (tens, ones) = (abs(count) % 100, abs(count) % 10)
        if (11...14).contains(tens) { return many }
        return ones == 1 ? one : (2...4).contains(ones) ? few : many
    }
}
