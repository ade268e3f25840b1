import VigilSchema

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

    /// Returns the number of the wearer's day that holds a moment.
    mutating func day(_ time: Timestamp) -> Int64 { clock.day(time) }

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

extension CounterRule {
    /// The parts that count, in the order given, with the interval lengths of their sources as the database has them.
    mutating func chosen(_ parts: [AggregateReader.Part], on connection: any SQLConnection) throws(StoreError) -> [AggregateReader.Part] {
        // One source needs no choice, and is the usual case.
        guard let first = parts.first, parts.contains(where: { $0.source != first.source }) else { return parts }
        // Of these alone: a device may have given numbers to as many lengths as it likes.
        let numbers = Set(parts.map(\.source)).sorted().map { String($0) }.joined(separator: ",")
        let sql = "SELECT id, period FROM source WHERE period > 0 AND id IN (\(type(of: connection).elements(of: "$1")))"
        let periods = try connection.rows(sql, [.text("[\(numbers)]")]).map { ($0.integer(0), $0.integer(1)) }
        return chosen(parts, periods: Dictionary(periods) { first, _ in first })
    }
}
