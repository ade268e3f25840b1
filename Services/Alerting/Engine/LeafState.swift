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
    /// Milliseconds since it came in which nobody looked: they do not count for a sensor's silence.
    var unseen: UInt32 = 0

    static let never = Int64.min

    var isSeen: Bool { arrival != LeafState.never }

    /// When a sensor that says nothing more has been silent for so long, on the engine's clock.
    func silence(for duration: Int64) -> Int64 { arrival + Int64(unseen) * 1000 + duration }
}
