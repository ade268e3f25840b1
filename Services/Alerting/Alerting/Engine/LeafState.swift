/// What is known of one comparison for one participant.
struct LeafState: Hashable, Sendable {
    /// The newest reading's time, in microseconds since 1970.
    var time: Int64 = 0
    /// The engine's clock when it came; `never` before the first.
    var arrival: Int64 = LeafState.never
    /// What was compared.
    var value: Double = 0
    /// The comparison's result then.
    var isSatisfied = false

    static let never = Int64.min

    var isSeen: Bool { arrival != LeafState.never }
}
