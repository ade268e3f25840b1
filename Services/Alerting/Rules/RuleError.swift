package import JSON5

/// Everything that is wrong with rule files.
package struct RuleError: Error, Sendable, CustomStringConvertible {
    /// A problem and the file that it is in.
    package struct Entry: Hashable, Sendable, CustomStringConvertible {
        package let file: String
        package let problem: JSON5Problem

        /// `file:line:column: message; suggestion`.
        package var description: String { problem.description(file: file) }
    }

    /// At least one, by file and place.
    package let entries: [Entry]

    /// A line each.
    package var description: String { entries.map(\.description).joined(separator: "\n") }
}
