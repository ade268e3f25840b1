/// Which bucket of which series. Sorted as the rollup tables' keys are, so that two writers lock rows in the same order.
struct RollupKey: Hashable, Comparable {
    var participant: Int32
    var metric: Int32
    var source: Int32
    /// When the bucket starts, microseconds.
    var start: Int64

    init(_ identity: Identity, level: RollupLevel) {
        participant = identity.participant
        metric = identity.metric
        source = identity.source
        start = level.start(of: identity.time)
    }

    /// The bucket of a coarser level that holds this one.
    func coarser(_ level: RollupLevel) -> RollupKey {
        var key = self
        key.start = level.start(of: start)
        return key
    }

    /// Whether it is the same bucket, perhaps of another source.
    func isBeside(_ other: RollupKey) -> Bool {
        participant == other.participant && metric == other.metric && start == other.start
    }

    static func < (left: RollupKey, right: RollupKey) -> Bool {
        if left.participant != right.participant { return left.participant < right.participant }
        if left.metric != right.metric { return left.metric < right.metric }
        if left.start != right.start { return left.start < right.start }
        return left.source < right.source
    }
}
