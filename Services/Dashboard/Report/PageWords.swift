import Foundation

/// The words of the pages by language, for what the server itself writes: a report.
package struct PageWords: Sendable {
    private let languages: [String: [String: String]]

    /// - Parameter files: the JSON of each language's file.
    package init(files: [String: [UInt8]]) {
        languages = files.compactMapValues { try? JSONDecoder().decode([String: String].self, from: Data($0)) }
    }

    /// The words of one language; English where it has none.
    func language(_ name: String) -> Language {
        Language(name: languages[name] == nil ? "en" : name, words: languages[name] ?? [:], english: languages["en"] ?? [:])
    }

    /// The words of one language.
    struct Language: Sendable {
        /// `en`, `de` and so on.
        let name: String
        fileprivate let words: [String: String]
        fileprivate let english: [String: String]

        /// The words of a key, with `{name}`s filled in; nil where there are none.
        func known(_ key: String, _ values: [String: String] = [:]) -> String? {
            guard var text = words[key] ?? english[key] else { return nil }
            for (name, value) in values { text = text.replacing("{\(name)}", with: value) }
            return text
        }

        /// The words of a key, or the key.
        func callAsFunction(_ key: String, _ values: [String: String] = [:]) -> String { known(key, values) ?? key }
    }
}
