/// A parsed JSON5 value that remembers where it stood.
package struct JSON5Value: Sendable {
    /// Where its first character is.
    package let position: SourcePosition
    /// What it is.
    package let content: Content

    package init(position: SourcePosition, content: Content) {
        self.position = position
        self.content = content
    }

    /// The kinds of JSON5 value.
    package indirect enum Content: Sendable {
        case null
        case bool(Bool)
        /// Also `Infinity` and `NaN`, which JSON5 allows.
        case number(Double)
        case string(String)
        case array([JSON5Value])
        /// In the file's order; no name occurs twice.
        case object([JSON5Member])
    }

    /// Its kind in words, with the article: `a number`.
    package var kind: String {
        switch content {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

/// One `name: value` of an object.
package struct JSON5Member: Sendable {
    /// The name, unescaped.
    package let name: String
    /// Where the name stands.
    package let position: SourcePosition
    package let value: JSON5Value
}
