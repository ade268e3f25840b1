/// What makes two observations the same one, in the database's numbers. Sorted as the tables' keys are.
struct Identity: Hashable, Comparable {
    /// Microseconds since 1970.
    var time: Int64
    var participant: Int32
    var metric: Int32
    var source: Int32
    var sequence: Int32

    static func < (left: Identity, right: Identity) -> Bool {
        if left.time != right.time { return left.time < right.time }
        if left.participant != right.participant { return left.participant < right.participant }
        if left.metric != right.metric { return left.metric < right.metric }
        if left.source != right.source { return left.source < right.source }
        return left.sequence < right.sequence
    }
}
