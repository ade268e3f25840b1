/// A text in several languages, by two-letter code (`en`, `de`, `ru`).
package struct LocalizedText: Hashable, Sendable {
    package let byLanguage: [String: String]

    package init(_ byLanguage: [String: String]) { self.byLanguage = byLanguage }

    /// In the language, else in English, else in any.
    package func text(_ language: String) -> String? {
        byLanguage[language] ?? byLanguage["en"] ?? byLanguage.sorted { $0.key < $1.key }.first?.value
    }

    /// The codes that it has, sorted.
    package var languages: [String] { byLanguage.keys.sorted() }
}
