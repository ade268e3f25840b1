/// A parsed JSON5 value that remembers where it stood.
package struct JSON5Value: Sendable {
    /// The place of its first character.
    package let position: SourcePosition
    /// The description.
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
    /// The place of the name.
    package let position: SourcePosition
    package let value: JSON5Value
}

/// A place in a text file, for a message that an editor can jump to.
package struct SourcePosition: Hashable, Sendable, CustomStringConvertible {
    /// Counted from 1; LF, CR, CRLF, U+2028 and U+2029 end a line.
    package var line: Int
    /// Counted from 1, in Unicode scalars.
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// `line:column`.
    package var description: String { "\(line):\(column)" }
}

/// The problem at one place of a file, and what was probably meant.
package struct JSON5Problem: Error, Hashable, Sendable, CustomStringConvertible {
    package let position: SourcePosition
    /// The problem, without a full stop.
    package let message: String
    /// The suggestion of what was probably meant, as a whole phrase: `did you mean "above"?`
    package let suggestion: String?

    package init(position: SourcePosition, message: String, suggestion: String? = nil) {
        self.position = position
        self.message = message
        self.suggestion = suggestion
    }

    /// `line:column: message; suggestion`.
    package var description: String {
        "\(position): \(message)" + (suggestion.map { "; \($0)" } ?? "")
    }

    /// `file:line:column: message; suggestion`, as compilers print it.
    package func description(file: String) -> String { "\(file):\(description)" }
}

/// Collects what is wrong with a file while it is read, so that a person sees everything at once.
///
/// Threading: belongs to the one reader that made it; not `Sendable`.
package final class JSON5Problems {
    /// In the order in which they were found.
    package private(set) var all: [JSON5Problem] = []

    package init() {}

    /// Notes a problem.
    package func add(_ message: String, at position: SourcePosition, suggestion: String? = nil) {
        all.append(JSON5Problem(position: position, message: message, suggestion: suggestion))
    }

    package var isEmpty: Bool { all.isEmpty }

    /// Sorted by place, for printing.
    package var sorted: [JSON5Problem] {
        all.sorted { ($0.position.line, $0.position.column) < ($1.position.line, $1.position.column) }
    }
}
