/// Up to which message of the outbox the broker has acknowledged everything, and since when.
///
/// A broker that is killed forgets what it acknowledged and had not saved. What was acknowledged within the last minute therefore stays in the outbox,
/// and is published again when the connection comes back, and after a start; who has it already knows it by its sequence.
struct AckWatermark {
    private static let patience: Int64 = 60_000_000
    private var marks: [(time: Int64, last: Int64)] = []
    private var forgettable: Int64 = 0

    /// Notes that everything up to `last` was acknowledged at `now`, in microseconds.
    mutating func note(_ last: Int64, at now: Int64) {
        if last > 0 { marks.append((now, last)) }
    }

    /// Up to which message the outbox can be emptied; 0: not at all.
    mutating func forget(at now: Int64) -> Int64 {
        let old = marks.prefix { now - $0.time > Self.patience }
        forgettable = old.reduce(forgettable) { max($0, $1.last) }
        marks.removeFirst(old.count)
        return forgettable
    }
}
