import SQLiteDatabase
import VigilSchema

/// Value by value: an array for each of many rows would cost as much as the row.
extension Statement {
    /// Binds a row of the table `reading`; parameters that stay unbound are NULL.
    func bind(_ reading: Reading, text: String?, from first: Int) throws(SQLiteError) {
        try bind(reading.identity.time, at: first)
        try bind(Int64(reading.identity.participant), at: first + 1)
        try bind(Int64(reading.identity.metric), at: first + 2)
        try bind(Int64(reading.identity.source), at: first + 3)
        try bind(Int64(reading.identity.sequence), at: first + 4)
        if let text { try bind(text, at: first + 6) } else { try bind(reading.value, at: first + 5) }
        try bind(reading.received, at: first + 7)
        if reading.session != Reading.none { try bind(Int64(reading.session), at: first + 8) }
        if reading.origin != Reading.none { try bind(Int64(reading.origin), at: first + 9) }
        if reading.zone != .min { try bind(Int64(reading.zone), at: first + 10) }
    }

    /// Binds a row of a rollup table.
    func bind(_ key: RollupKey, _ aggregate: Aggregate, from first: Int) throws(SQLiteError) {
        try bind(Int64(key.participant), at: first)
        try bind(Int64(key.metric), at: first + 1)
        try bind(Int64(key.source), at: first + 2)
        try bind(key.start, at: first + 3)
        try bind(aggregate.count, at: first + 4)
        try bind(aggregate.sum, at: first + 5)
        try bind(aggregate.min, at: first + 6)
        try bind(aggregate.max, at: first + 7)
        try bind(aggregate.first, at: first + 8)
        try bind(aggregate.firstTime.microseconds, at: first + 9)
        try bind(Int64(aggregate.firstSequence), at: first + 10)
        try bind(aggregate.last, at: first + 11)
        try bind(aggregate.lastTime.microseconds, at: first + 12)
        try bind(Int64(aggregate.lastSequence), at: first + 13)
    }
}
