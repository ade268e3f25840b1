/// What is wrong at one place of a file, and what was probably meant.
package struct JSON5Problem: Error, Hashable, Sendable, CustomStringConvertible {
    package let position: SourcePosition
    /// What is wrong, without a full stop.
    package let message: String
    /// What was probably meant, as a whole phrase: `did you mean "above"?`
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
