package import VigilSchema

/// The sum of some readings, with their count, extremes, first and last. Never of none.
package struct Aggregate: Hashable, Sendable {
    /// The number of readings.
    package var count: Int64
    /// Their sum, to the rounding of a `Double`.
    package var sum: Double
    package var min: Double
    package var max: Double
    /// The value of the earliest reading; of several at one time that with the lowest sequence.
    package var first: Double
    package var firstTime: Timestamp
    package var firstSequence: Int32
    /// The value of the latest reading; of several at one time that with the highest sequence.
    package var last: Double
    package var lastTime: Timestamp
    package var lastSequence: Int32

    /// The mean.
    package var mean: Double { sum / Double(count) }

    /// Of one reading.
    package init(value: Double, time: Timestamp, sequence: Int32) {
        count = 1
        sum = value
        min = value
        max = value
        first = value
        firstTime = time
        firstSequence = sequence
        last = value
        lastTime = time
        lastSequence = sequence
    }

    /// From the columns of a rollup table, `count` being at `offset`.
    init(_ row: SQLRow, from offset: Int) {
        count = row.integer(offset)
        sum = row.real(offset + 1)
        min = row.real(offset + 2)
        max = row.real(offset + 3)
        first = row.real(offset + 4)
        firstTime = row.time(offset + 5)
        firstSequence = Int32(truncatingIfNeeded: row.integer(offset + 6))
        last = row.real(offset + 7)
        lastTime = row.time(offset + 8)
        lastSequence = Int32(truncatingIfNeeded: row.integer(offset + 9))
    }

    /// Takes other readings in.
    package mutating func merge(_ other: Aggregate) {
        count += other.count
        sum += other.sum
        min = Swift.min(min, other.min)
        max = Swift.max(max, other.max)
        if (other.firstTime, other.firstSequence) < (firstTime, firstSequence) {
            (first, firstTime, firstSequence) = (other.first, other.firstTime, other.firstSequence)
        }
        if (other.lastTime, other.lastSequence) >= (lastTime, lastSequence) {
            (last, lastTime, lastSequence) = (other.last, other.lastTime, other.lastSequence)
        }
    }

    /// The columns, in the order in which `init(_:from:)` reads them.
    static let columns = "count, sum, min, max, first, first_time, first_seq, last, last_time, last_seq"

    /// The values of `columns`.
    var values: [SQLValue] {
        [
            .integer(count), .real(sum), .real(min), .real(max), .real(first), .time(firstTime), .integer(Int64(firstSequence)),
            .real(last), .time(lastTime), .integer(Int64(lastSequence)),
        ]
    }
}

/// The time a rollup's buckets are. They start at whole UTC minutes, hours and days.
package enum RollupLevel: String, CaseIterable, Sendable {
    case minute, hour, day

    /// A bucket's length in microseconds.
    package var width: Int64 {
        switch self {
        case .minute: 60_000_000
        case .hour: 3_600_000_000
        case .day: 86_400_000_000
        }
    }

    /// The table's name.
    var table: String { "rollup_\(rawValue)" }

    /// The level that this one is summed from; nil for minutes, which are summed from readings.
    var finer: RollupLevel? {
        switch self {
        case .minute: nil
        case .hour: .minute
        case .day: .hour
        }
    }

    /// Returns the start of the bucket that holds a moment.
    package func start(of time: Timestamp) -> Timestamp { Timestamp(microseconds: start(of: time.microseconds)) }

    func start(of time: Int64) -> Int64 {
        let rest = time % width
        return time - (rest < 0 ? rest + width : rest)
    }
}

/// The key of one bucket of one series. Sorted as the rollup tables' keys are, so that two writers lock rows in the same order.
package struct RollupKey: Hashable, Comparable {
    var participant: Int32
    var metric: Int32
    var source: Int32
    /// The start of the bucket, microseconds.
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

    /// Returns whether it is the same bucket, perhaps of another source.
    func isBeside(_ other: RollupKey) -> Bool {
        participant == other.participant && metric == other.metric && start == other.start
    }

    package static func < (left: RollupKey, right: RollupKey) -> Bool {
        if left.participant != right.participant { return left.participant < right.participant }
        if left.metric != right.metric { return left.metric < right.metric }
        if left.start != right.start { return left.start < right.start }
        return left.source < right.source
    }
}
