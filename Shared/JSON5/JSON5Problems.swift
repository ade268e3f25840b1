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
