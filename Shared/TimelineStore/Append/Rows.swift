/// The identity of an observation, in the database's numbers. Sorted as the tables' keys are.
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

/// A number or a text on its way to the table `reading`: plain numbers, no references, because there are many.
struct ReadingRow {
    /// Stands for none in the numbers below.
    static let none: Int32 = -1

    var identity: Identity
    /// Meaningless where there is a text.
    var value: Double
    /// Microseconds since 1970.
    var received: Int64
    /// The text's index among the append's texts, or `none`.
    var text: Int32
    /// The session's number, or `none`.
    var session: Int32
    /// The origin's number, or `none`.
    var origin: Int32
    /// Minutes from UTC, or `Int16.min` for unknown.
    var zone: Int16
    var place: RowPosition
}

/// A block of samples on its way to the table `waveform`.
struct BlockRow {
    var identity: Identity
    var samples: [Double]
    /// Seconds.
    var period: Double
    /// As the codec made it.
    var encoded: [UInt8]
    var received: Int64
    var session: Int32
    var origin: Int32
    var zone: Int16
    var place: RowPosition

    /// The end of the block, a period after its last sample; microseconds.
    var ends: Int64 { identity.time + Int64((period * Double(samples.count) * 1_000_000).rounded()) }
}

/// The position of an observation in an append call.
struct RowPosition: Hashable, Comparable {
    var batch: Int32
    var group: Int32
    var observation: Int32

    static func < (left: RowPosition, right: RowPosition) -> Bool {
        (left.batch, left.group, left.observation) < (right.batch, right.group, right.observation)
    }
}
