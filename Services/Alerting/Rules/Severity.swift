/// How bad it is. The order is that of the names.
package enum Severity: UInt8, Sendable, Comparable, CaseIterable {
    /// No alert; not a severity that a rule can name.
    case none = 0
    /// Worth knowing.
    case notice
    /// Needs attention soon.
    case warning
    /// Needs attention now.
    case critical

    /// As rule files and messages write it.
    package var name: String { "\(self)" }

    /// Reads a name; `none` is not one.
    package init?(name: String) {
        guard let known = Severity.allCases.dropFirst().first(where: { $0.name == name }) else { return nil }
        self = known
    }

    package static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }
}
