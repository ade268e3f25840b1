package import VigilSchema

/// What a number of readings come to. Never of none.
package struct Aggregate: Hashable, Sendable {
    /// How many readings.
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
