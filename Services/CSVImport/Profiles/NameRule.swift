import Foundation
import VigilSchema

/// The origin of a participant's, source's or session's name: the first of these that gives one.
package struct NameRule: Hashable, Sendable {
    /// A column, by its spellings; empty: none.
    package var column: [String]
    /// A part of the file's path: the text after one of these words in a folder's or the file's name, such as `12` in
    /// `participant12/1.csv` and `05` in `sessionID-05`.
    package var path: [String]
    /// A constant.
    package var constant: String?

    /// Makes a rule.
    package init(column: [String] = [], path: [String] = [], constant: String? = nil) {
        self.column = column
        self.path = path
        self.constant = constant
    }

    /// A participant by a column that names one, or by a folder's name.
    static let usual = NameRule(
        column: ["participant-id", "participant", "patient-id"], path: ["participant", "patient", "subject"])

    /// The name in the path, searched from its end.
    package func name(inPath path: String) -> String? {
        for component in path.split(whereSeparator: { $0 == "/" || $0 == "!" }).reversed() {
            for word in self.path {
                if let name = NameRule.name(after: word, in: component) { return name }
            }
        }
        return nil
    }

    private static func name(after word: String, in component: Substring) -> String? {
        guard let stem = component.split(separator: ".").first, stem.lowercased().hasPrefix(word.lowercased()) else { return nil }
        var rest = stem.dropFirst(word.count)
        if let first = rest.first, first == "-" || first == "_" { rest = rest.dropFirst() }
        guard !rest.isEmpty, rest.first?.isNumber == true else { return nil }
        return String(rest)
    }
}

/// A column's header, compared by letters and digits only: `sessionId`, `session-id` and `Session ID` are equal.
package struct HeaderName: Hashable, Sendable {
    private let key: String

    /// The name of a header such as `Time (UTC)` without its zone; nil for another.
    init?(inZone header: String) {
        guard let (name, zone) = HeaderUnit.inBrackets(header), ["utc", "gmt", "local", "local time"].contains(zone.lowercased()) else {
            return nil
        }
        self.init(name)
    }

    /// Returns whether it continues where the other ends.
    func hasPrefix(_ other: HeaderName) -> Bool { key.hasPrefix(other.key) }

    /// The name of a header as written, without the path that Samsung Health puts before its own names.
    package init(_ header: String) {
        let isPath = header.hasPrefix("com.samsung.")
        key = HeaderName.folded(isPath ? header.split(separator: ".").last.map(String.init) ?? header : header)
    }

    /// Whether it has no letter and no digit.
    var isEmpty: Bool { key.isEmpty }

    /// The letters and digits in lower case, Latin letters without accents: `Systolisk`, `längd` as `langd`. Other
    /// scripts stay unchanged.
    static func folded(_ text: String) -> String {
        let lowered = text.lowercased()
        if lowered.utf8.allSatisfy({ $0 < 0x80 }) { return String(lowered.unicodeScalars.filter(isKept).map(Character.init)) }
        var kept = String.UnicodeScalarView()
        var isLatin = false
        for scalar in lowered.decomposedStringWithCompatibilityMapping.unicodeScalars {
            if scalar.properties.canonicalCombiningClass != .notReordered, isLatin { continue }
            if let plain = foldings[scalar] {
                kept.append(contentsOf: plain.unicodeScalars)
                isLatin = true
                continue
            }
            guard
                isKept(scalar) || scalar.properties.canonicalCombiningClass != .notReordered
                    || scalar.properties.generalCategory == .spacingMark
            else { continue }
            isLatin = scalar.isASCII
            kept.append(scalar)
        }
        return String(kept).precomposedStringWithCanonicalMapping
    }

    private static func isKept(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }

    /// Latin letters that have no decomposition.
    private static let foldings: [Unicode.Scalar: String] = [
        "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ı": "i",
    ]

    /// A metric's name from a header: the header if it is a valid name, else its letters and digits with hyphens.
    /// Accents are dropped, and other scripts are transliterated (ICU's transforms `Any-Latin` and `Latin-ASCII`),
    /// because a name is a level of a topic.
    package static func metricName(_ header: String) -> String? {
        let trimmed = header.trimmed
        if Name.isValid(trimmed) { return trimmed }
        var name = ""
        for scalar in latin(trimmed).lowercased().unicodeScalars {
            if scalar.isASCII, isKept(scalar) {
                name.unicodeScalars.append(scalar)
            } else if name.last != "-", !name.isEmpty {
                name.append("-")
            }
        }
        let cut = name.prefix(Name.maximumLength)
        let result = String(cut.last == "-" ? cut.dropLast() : cut)
        return result.isEmpty ? nil : result
    }

    private static func latin(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        let latin = text.applyingTransform(.toLatin, reverse: false) ?? text
        let letters = String(latin.unicodeScalars.filter { $0.properties.generalCategory != .modifierLetter }.map(Character.init))
        return letters.applyingTransform(StringTransform("Latin-ASCII"), reverse: false) ?? letters
    }
}

extension String {
    /// Without spaces and line ends around it.
    var trimmed: String {
        var text = self[...]
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}
