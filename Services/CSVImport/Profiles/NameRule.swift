import VigilSchema

/// The origin of a participant's, a source's or a session's name: the first of these that gives one.
package struct NameRule: Hashable, Sendable {
    /// A column, by its spellings; empty: none.
    package var column: [String]
    /// A part of the file's path: what follows one of these words in a folder's or the file's name, as `12` does in
    /// `participant12/1.csv` and `05` in `sessionID-05`.
    package var path: [String]
    /// The same for every row.
    package var constant: String?

    /// Makes a rule.
    package init(column: [String] = [], path: [String] = [], constant: String? = nil) {
        self.column = column
        self.path = path
        self.constant = constant
    }

    /// The name that the path gives, looking from its end.
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

/// A column's header, told apart by letters and digits only: `sessionId`, `session-id` and `Session ID` are one.
package struct HeaderName: Hashable, Sendable {
    private let key: String

    /// The name of a header such as `Time (UTC)` without its zone; nil for another.
    init?(inZone header: String) {
        guard let (name, zone) = HeaderUnit.inBrackets(header), ["utc", "gmt", "local", "local time"].contains(zone.lowercased()) else {
            return nil
        }
        self.init(name)
    }

    /// Returns whether it goes on where the other ends.
    func hasPrefix(_ other: HeaderName) -> Bool { key.hasPrefix(other.key) }

    /// The name of a header as it is written, without the path that Samsung Health writes before its own names.
    package init(_ header: String) {
        let isPath = header.hasPrefix("com.samsung.")
        let kept = (isPath ? header.split(separator: ".").last.map(String.init) ?? header : header).lowercased().unicodeScalars.filter {
            $0.properties.isAlphabetic || $0.properties.numericType != nil
        }
        key = String(String.UnicodeScalarView(kept))
    }

    /// A metric's name made from a header: itself where it is one, else its letters and digits with hyphens between.
    package static func metricName(_ header: String) -> String? {
        let trimmed = header.trimmed
        if Name.isValid(trimmed) { return trimmed }
        var name = ""
        for scalar in trimmed.lowercased().unicodeScalars {
            if scalar.isASCII, scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
                name.unicodeScalars.append(scalar)
            } else if name.last != "-", !name.isEmpty {
                name.append("-")
            }
        }
        let result = String((name.last == "-" ? name.dropLast() : name[...]).prefix(64))
        return result.isEmpty ? nil : result
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
