import VigilSchema

/// Hands on what a series' readings come to, bucket by bucket, earliest first: from the rollups, or where there are none from the readings. All
/// sources together, but of what counts over intervals only one of them a day (`CounterRule`).
///
/// The database is read page by page, so that a range of any length takes no more memory than a short one.
struct BucketStream {
    typealias Bucket = AggregateReader.Bucket
    typealias Part = AggregateReader.Part

    /// A part of a range, and the level whose buckets are handed on of it.
    struct Stretch: Hashable {
        var from: Timestamp
        var to: Timestamp
        var level: RollupLevel
    }

    /// Some 6 MB.
    private static let page = 10_000

    private let connection: any SQLConnection
    private let participant: Int64
    private let metric: Int64
    private let source: String
    private let isCounter: Bool
    private var rule: CounterRule
    /// Parts that were read, of a bucket or of days of which there may be more.
    private var held: [Part] = []

    /// - Parameter rule: how the sources of a counter are chosen between.
    /// - Returns: nil where the participant or the metric is unknown.
    init?(_ connection: any SQLConnection, _ range: SeriesRange, by rule: CounterRule) throws(StoreError) {
        guard let numbers = try Lookup(connection: connection).numbers(range) else { return nil }
        (self.connection, self.rule) = (connection, rule)
        (participant, metric, source) = (numbers.participant, numbers.metric, range.source ?? "")
        isCounter = CounterRule.concerns(range.metric)
    }

    /// Hands on the buckets that hold readings and start in the stretches or hold their start. The stretches follow one another.
    mutating func forEachBucket(of stretches: [Stretch], _ body: (Bucket) -> Void) throws(StoreError) {
        let hasRollups = try Lookup(connection: connection).hasRollups()
        for stretch in stretches where stretch.from < stretch.to {
            let level = stretch.level
            let from = level.start(of: stretch.from)
            if hasRollups {
                try takeRollups(from, stretch.to, level, body)
            } else {
                try takeReadings(from, stretch.to, start: { level.start(of: $0) }, body)
            }
        }
        try finish(body)
    }

    /// Hands on the readings of a time in steps.
    /// - Parameter start: the start of the step that a moment is in.
    mutating func forEachStep(
        from: Timestamp, to: Timestamp, start: (Timestamp) -> Timestamp, _ body: (Bucket) -> Void
    ) throws(StoreError) {
        // The day that a step begins before is not that of all its readings.
        let start = isCounter ? { max(start($0), RollupLevel.day.start(of: $0)) } : start
        try takeReadings(from, to, start: start, body)
        try finish(body)
    }

    private mutating func takeRollups(
        _ from: Timestamp, _ to: Timestamp, _ level: RollupLevel, _ body: (Bucket) -> Void
    ) throws(StoreError) {
        var (time, number) = (from, Int64(-1)), rows: [SQLRow]
        repeat {
            rows = try connection.rowsPlannedForValues(
                """
                SELECT time, source, \(Aggregate.columns) FROM \(level.table)
                WHERE participant = $1 AND metric = $2 AND time >= $3 AND time < $4 AND \(Lookup.isFrom("$5")) AND (time, source) > ($3, $6)
                ORDER BY time, source LIMIT \(Self.page)
                """, [.integer(participant), .integer(metric), .time(time), .time(to), .text(source), .integer(number)])
            try take(rows.map { Part(start: $0.time(0), source: $0.integer(1), aggregate: Aggregate($0, from: 2)) }, body)
            if let last = rows.last { (time, number) = (last.time(0), last.integer(1)) }
        } while rows.count == Self.page
    }

    private mutating func takeReadings(
        _ from: Timestamp, _ to: Timestamp, start: (Timestamp) -> Timestamp, _ body: (Bucket) -> Void
    ) throws(StoreError) {
        var (time, number, sequence) = (from, Int64(-1), Int64.min / 4), rows: [SQLRow]
        repeat {
            let open = try connection.rows(
                """
                SELECT time, source, seq, value FROM reading
                WHERE time >= $1 AND time < $2 AND participant = $3 AND metric = $4 AND \(Lookup.isFrom("$5")) AND value IS NOT NULL
                    AND (time, source, seq) > ($1, $6, $7)
                ORDER BY time, source, seq LIMIT \(Self.page)
                """,
                [
                    .time(time), .time(to), .integer(participant), .integer(metric), .text(source), .integer(number), .integer(sequence),
                ])
            let scan = SealedScan(connection, participant: participant, metrics: [metric], source: source, from: time, to: to)
            let sealed = try scan.rows(after: (time.microseconds, metric, number, sequence), limit: Self.page).map { row in
                SQLRow([
                    .time(row.time), .integer(row.source), .integer(Int64(row.reading.sequence)), .real(row.reading.value),
                ])
            }
            rows = SealedScan.merged(open, sealed, limit: Self.page) {
                ($0.time(0), $0.integer(1), $0.integer(2)) < ($1.time(0), $1.integer(1), $1.integer(2))
            }
            try take(folded(rows, start), body)
            if let last = rows.last { (time, number, sequence) = (last.time(0), last.integer(1), last.integer(2)) }
        } while rows.count == Self.page
    }

    /// The readings of each step, and of a counter of each source, put together.
    private func folded(_ rows: [SQLRow], _ start: (Timestamp) -> Timestamp) -> [Part] {
        var parts: [Part] = []
        var places: [Int64: Int] = [:]
        for row in rows {
            let time = row.time(0), source = isCounter ? row.integer(1) : 0
            let one = Aggregate(value: row.real(3), time: time, sequence: Int32(truncatingIfNeeded: row.integer(2)))
            let start = start(time)
            if let place = places[source], parts[place].start == start {
                parts[place].aggregate.merge(one)
            } else {
                places[source] = parts.count
                parts.append(Part(start: start, source: source, aggregate: one))
            }
        }
        return parts
    }

    /// Takes a page of parts in, and hands on the buckets of which no more can come.
    private mutating func take(_ parts: [Part], _ body: (Bucket) -> Void) throws(StoreError) {
        held += parts
        guard let last = held.last else { return }
        let end: Int?
        if isCounter {
            // Of a day all sources are compared; where a clock is set back at midnight, some of it comes after the next has begun.
            let day = rule.day(last.start)
            end = held.firstIndex { rule.day($0.start) >= day - 1 }
        } else {
            end = held.firstIndex { $0.start >= last.start }
        }
        try hand(Array(held[..<(end ?? 0)]), to: body)
        held.removeFirst(end ?? 0)
    }

    private mutating func finish(_ body: (Bucket) -> Void) throws(StoreError) {
        try hand(held, to: body)
        held.removeAll()
    }

    private mutating func hand(_ parts: [Part], to body: (Bucket) -> Void) throws(StoreError) {
        let chosen = isCounter ? try rule.chosen(parts, on: connection) : parts
        for bucket in AggregateReader.merged(chosen) { body(bucket) }
    }
}
