import VigilSchema

/// Reads what a series' readings come to in the buckets of a level: from the rollups, or where there are none from the readings; or each reading
/// by itself. All sources together, but of what counts over intervals only one of them a day (`CounterRule`).
struct AggregateReader {
    typealias Bucket = (start: Timestamp, aggregate: Aggregate)

    let connection: any SQLConnection

    /// The buckets that hold readings and start in the range or hold its start, in their order.
    /// - Parameter rule: how the sources of a counter are chosen between.
    func buckets(_ range: SeriesRange, _ level: RollupLevel, by rule: CounterRule) throws(StoreError) -> [Bucket] {
        guard let numbers = try Lookup(connection: connection).numbers(range) else { return [] }
        let metrics = [(id: numbers.metric, name: range.metric)]
        let found = try buckets(
            participant: numbers.participant, metrics: metrics, source: range.source, from: range.from, to: range.to, level, by: rule)
        return found[numbers.metric] ?? []
    }

    /// The same of several metrics, by metric. At once, because a participant's buckets of one time lie side by side in the database.
    func buckets(
        participant: Int64, metrics: [(id: Int64, name: String)], source: String? = nil, from: Timestamp, to: Timestamp,
        _ level: RollupLevel, by rule: CounterRule
    ) throws(StoreError) -> [Int64: [Bucket]] {
        guard !metrics.isEmpty else { return [:] }
        let fixed: [SQLValue] = [.integer(participant), .time(level.start(of: from)), .time(to), .text(source ?? "")]
        let places = metrics.indices.map { "$\(fixed.count + 1 + $0)" }.joined(separator: ", ")
        let condition =
            "participant = $1 AND time >= $2 AND time < $3 AND \(Lookup.isFrom("$4")) AND metric IN (\(places))"
        let values = fixed + metrics.map { .integer($0.id) }
        let hasRollups = try Lookup(connection: connection).hasRollups()
        var parts = try hasRollups ? rollups(condition, values, level) : counted(condition, values, level)
        var rule = rule
        for metric in metrics where CounterRule.concerns(metric.name) {
            parts[metric.id] = try parts[metric.id].map { parts throws(StoreError) in try chosen(parts, by: &rule) }
        }
        return parts.mapValues(Self.merged)
    }

    /// From when to when each minute with numbers holds some, whichever source they are from.
    func times(_ range: SeriesRange) throws(StoreError) -> [(Timestamp, Timestamp)] {
        guard let numbers = try Lookup(connection: connection).numbers(range) else { return [] }
        let condition = "participant = $1 AND metric = $2 AND time >= $3 AND time < $4 AND \(Lookup.isFrom("$5"))"
        let values: [SQLValue] = [
            .integer(numbers.participant), .integer(numbers.metric), .time(RollupLevel.minute.start(of: range.from)), .time(range.to),
            .text(range.source ?? ""),
        ]
        let parts =
            try Lookup(connection: connection).hasRollups()
            ? rollups(condition, values, .minute) : counted(condition, values, .minute)
        return (parts[numbers.metric] ?? []).map { ($0.aggregate.firstTime, $0.aggregate.lastTime) }
    }

    /// Each number as an aggregate of one, earliest first.
    func readings(_ range: SeriesRange, by rule: CounterRule) throws(StoreError) -> [Aggregate] {
        guard let numbers = try Lookup(connection: connection).numbers(range) else { return [] }
        let rows = try connection.rows(
            """
            SELECT time, source, seq, value FROM reading
            WHERE time >= $1 AND time < $2 AND participant = $3 AND metric = $4 AND \(Lookup.isFrom("$5")) AND value IS NOT NULL
            ORDER BY time, source, seq
            """,
            [.time(range.from), .time(range.to), .integer(numbers.participant), .integer(numbers.metric), .text(range.source ?? "")])
        let parts = rows.map { row in
            let one = Aggregate(value: row.real(3), time: row.time(0), sequence: Int32(truncatingIfNeeded: row.integer(2)))
            return Part(start: row.time(0), source: row.integer(1), aggregate: one)
        }
        guard CounterRule.concerns(range.metric) else { return parts.map(\.aggregate) }
        var rule = rule
        return try chosen(parts, by: &rule).map(\.aggregate)
    }

    /// A source's share of a bucket, or one reading.
    struct Part {
        let start: Timestamp
        let source: Int64
        let aggregate: Aggregate

        static func isBefore(_ left: Part, _ right: Part) -> Bool {
            (left.start, left.source, left.aggregate.firstTime, left.aggregate.firstSequence)
                < (right.start, right.source, right.aggregate.firstTime, right.aggregate.firstSequence)
        }
    }

    private func rollups(_ condition: String, _ values: [SQLValue], _ level: RollupLevel) throws(StoreError) -> [Int64: [Part]] {
        let sql = "SELECT metric, source, time, \(Aggregate.columns) FROM \(level.table) WHERE \(condition)"
        var parts: [Int64: [Part]] = [:]
        for row in try connection.rowsPlannedForValues(sql, values) {
            let part = Part(start: row.time(2), source: row.integer(1), aggregate: Aggregate(row, from: 3))
            parts[row.integer(0), default: []].append(part)
        }
        return parts
    }

    private func counted(_ condition: String, _ values: [SQLValue], _ level: RollupLevel) throws(StoreError) -> [Int64: [Part]] {
        let sql = "SELECT metric, source, time, value, seq FROM reading WHERE \(condition) AND value IS NOT NULL"
        var parts: [Int64: [Part]] = [:]
        for row in try connection.rows(sql, values) {
            let one = Aggregate(value: row.real(3), time: row.time(2), sequence: Int32(truncatingIfNeeded: row.integer(4)))
            parts[row.integer(0), default: []].append(Part(start: level.start(of: row.time(2)), source: row.integer(1), aggregate: one))
        }
        return parts
    }

    private func chosen(_ parts: [Part], by rule: inout CounterRule) throws(StoreError) -> [Part] {
        // One source needs no choice, and is the usual case.
        guard let first = parts.first, parts.contains(where: { $0.source != first.source }) else { return parts }
        let periods = try connection.rows("SELECT id, period FROM source WHERE period > 0").map { ($0.integer(0), $0.integer(1)) }
        return rule.chosen(parts, periods: Dictionary(periods) { first, _ in first })
    }

    /// In no order the database finds them soonest; here they come nearly sorted.
    private static func merged(_ parts: [Part]) -> [Bucket] {
        var buckets: [Bucket] = []
        for part in parts.sorted(by: Part.isBefore) {
            if let last = buckets.indices.last, buckets[last].start == part.start {
                buckets[last].aggregate.merge(part.aggregate)
            } else {
                buckets.append((part.start, part.aggregate))
            }
        }
        return buckets
    }
}

/// The way a counter (steps, energy) that several sources report, or one over several lengths of intervals, is counted once: a watch's steps are
/// not added
/// to the phone's in the same pocket, nor a day's total to its hours.
///
/// Each day counts the source that has the largest total on it. A source's readings over intervals of one length are taken for a source of
/// their own, and those over intervals longer than the steps that are asked for count only on days that have no others.
struct CounterRule {
    /// The longest interval, in seconds, that fits a step.
    private let longest: Int64
    /// The wearer's clock, or UTC.
    private var clock: LocalClock

    init(_ binning: HistogramBinning, _ clock: LocalClock) {
        // Days that a change of the clock makes longer are days; months and weeks likewise.
        longest =
            switch binning {
            case .hour: 3600
            case .weekday, .day: 90_000
            case .week: 7 * 86_400 + 3600
            case .month: 31 * 86_400 + 3600
            }
        self.clock = clock
    }

    /// For steps of some microseconds, by the calendar of UTC.
    init(step: Int64) {
        longest = max(step, RollupLevel.minute.width) / 1_000_000 + (step >= RollupLevel.day.width ? 3600 : 0)
        clock = LocalClock()
    }

    /// Returns whether a metric's numbers count over intervals.
    static func concerns(_ metric: String) -> Bool { MetricCatalogue.standard.definition(named: metric)?.kind == .total }

    private struct Candidate: Hashable {
        let day: Int64
        let source: Int64
    }

    /// The parts that count, in the order given.
    /// - Parameter periods: the interval lengths of the sources that have one.
    mutating func chosen(_ parts: [AggregateReader.Part], periods: [Int64: Int64]) -> [AggregateReader.Part] {
        let days = parts.map { clock.day($0.start) }
        var totals: [Candidate: Double] = [:]
        for (part, day) in zip(parts, days) { totals[Candidate(day: day, source: part.source), default: 0] += part.aggregate.sum }
        var best: [Int64: (fits: Bool, total: Double, source: Int64)] = [:]
        for (candidate, total) in totals {
            let one = (fits: (periods[candidate.source] ?? 0) <= longest, total: total, source: candidate.source)
            guard let known = best[candidate.day] else {
                best[candidate.day] = one
                continue
            }
            let isBetter = one.fits == known.fits ? (one.total, known.source) > (known.total, one.source) : one.fits
            if isBetter { best[candidate.day] = one }
        }
        return zip(parts, days).filter { best[$1]?.source == $0.source }.map(\.0)
    }
}
