/// Where a participant's, a source's or a session's name comes from: the first of these that gives one.
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
        for component in path.split(separator: "/").reversed() {
            for word in self.path {
                if let name = NameRule.name(after: word, in: component) { return name }
            }
        }
        return nil
    }

    private static func name(after word: String, in component: Substring) -> String? {
        let stem = component.split(separator: ".")[0]
        guard stem.lowercased().hasPrefix(word.lowercased()) else { return nil }
        var rest = stem.dropFirst(word.count)
        if let first = rest.first, first == "-" || first == "_" { rest = rest.dropFirst() }
        guard !rest.isEmpty, rest.first?.isNumber == true else { return nil }
        return String(rest)
    }
}
