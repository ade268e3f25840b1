/// The bytes of bodies that a daemon keeps, and the choice of the ones that go when there are too many. A value, without I/O.
///
/// Nobody is asked who they are before their body is complete, so that what strangers send may fill no memory. Whoever has been sending for longest loses
/// the body, and is told so at its end; a request that is complete keeps its own until it is answered.
struct BodyBudget {
    private struct Body {
        var bytes: Int
        let since: UInt64
        var isComplete = false
    }

    private let limit: Int
    private var next: UInt64 = 0
    private var bodies: [ConnectionSlots.ID: Body] = [:]
    /// What all bodies have by now.
    private(set) var bytes = 0

    /// - Parameter limit: the bytes of all bodies together.
    init(limit: Int) { self.limit = limit }

    /// A part of a connection's body came.
    /// - Returns: those whose bodies are to be dropped for it, which may be this one.
    mutating func take(_ count: Int, of id: ConnectionSlots.ID) -> [ConnectionSlots.ID] {
        next += 1
        bodies[id, default: Body(bytes: 0, since: next)].bytes += count
        bytes += count
        var leaving: [ConnectionSlots.ID] = []
        while bytes > limit, let oldest = longestUnfinished {
            release(oldest)
            leaving.append(oldest)
        }
        return leaving
    }

    /// The body is complete: it is at work, and stays.
    mutating func complete(_ id: ConnectionSlots.ID) { bodies[id]?.isComplete = true }

    /// The body is kept no more.
    mutating func release(_ id: ConnectionSlots.ID) { bytes -= bodies.removeValue(forKey: id)?.bytes ?? 0 }

    private var longestUnfinished: ConnectionSlots.ID? {
        bodies.lazy.filter { !$0.value.isComplete }.min { $0.value.since < $1.value.since }?.key
    }
}
