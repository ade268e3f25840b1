/// Leaves joined by all, any and not. A leaf is named by its place among the rule set's leaves.
package indirect enum Condition: Hashable, Sendable {
    case leaf(Int)
    case all([Condition])
    case any([Condition])
    case not(Condition)

    /// Its truth where each leaf's is known (Kleene's three-valued logic: what is unknown decides nothing).
    func truth(_ leaf: (Int) -> Truth) -> Truth {
        switch self {
        case .leaf(let index): return leaf(index)
        case .all(let parts): return parts.reduce(.yes) { min($0, $1.truth(leaf)) }
        case .any(let parts): return parts.reduce(.no) { max($0, $1.truth(leaf)) }
        case .not(let part): return part.truth(leaf).negated
        }
    }

    /// The leaves that it names, in order.
    package var leaves: [Int] {
        switch self {
        case .leaf(let index): [index]
        case .all(let parts), .any(let parts): parts.flatMap(\.leaves)
        case .not(let part): part.leaves
        }
    }
}

/// What is known of a condition.
package enum Truth: UInt8, Comparable, Sendable {
    case no, unknown, yes

    package var negated: Truth {
        switch self {
        case .no: .yes
        case .unknown: .unknown
        case .yes: .no
        }
    }

    package static func < (left: Truth, right: Truth) -> Bool { left.rawValue < right.rawValue }
}
