package import VigilSchema

extension SQLTimelineStore {
    package func gaps(_ range: SeriesRange, longerThan seconds: Double) async throws(StoreError) -> [SeriesGap] {
        try await readAtLength { connection throws(StoreError) in
            let lookup = Lookup(connection: connection)
            guard let numbers = try lookup.numbers(range) else { return [] }
            let values: [SQLValue] = [
                .integer(numbers.participant), .integer(numbers.metric), .time(range.from), .time(range.to),
                .text(range.source ?? ""),
            ]
            var heard: [(Timestamp, Timestamp)]
            if seconds >= 60 {
                heard = try AggregateReader(connection: connection).times(range)
                heard += try connection.rows(GapSQL.texts, values).map { ($0.time(0), $0.time(0)) }
            } else {
                // Gaps inside a minute do not show in the rollups.
                heard = try ReadingRuns(connection: connection, values: values).runs(range, longestPause: seconds)
            }
            let before = try lookup.beforeBlocks(of: numbers.metric, reaching: range.from)
            heard += try connection.rows(GapSQL.blocks, values + [.time(before)]).map { ($0.time(0), $0.time(1)) }
            return SeriesGap.between(heard, in: range, longerThan: seconds)
        }
    }
}

extension SeriesGap {
    /// The parts of a range without the times in which something was heard, where they are longer than `seconds`.
    static func between(_ heard: [(from: Timestamp, to: Timestamp)], in range: SeriesRange, longerThan seconds: Double) -> [SeriesGap] {
        var gaps: [SeriesGap] = []
        var end = range.from
        func silence(until next: Timestamp) {
            if Double(next.microseconds - end.microseconds) > seconds * 1_000_000 { gaps.append(SeriesGap(from: end, to: next)) }
        }
        for time in heard.sorted(by: { $0.from < $1.from }) where time.to >= range.from {
            silence(until: time.from)
            end = max(end, time.to)
        }
        silence(until: range.to)
        return gaps
    }
}

private enum GapSQL {
    static let texts = """
        SELECT time FROM reading
        WHERE participant = $1 AND metric = $2 AND time >= $3 AND time < $4 AND \(Lookup.isFrom("$5")) AND text IS NOT NULL
        """
    /// A block that began before the range may reach into it.
    static let blocks = """
        SELECT time, ends FROM waveform
        WHERE participant = $1 AND metric = $2 AND time > $6 AND time < $4 AND ends > $3 AND \(Lookup.isFrom("$5"))
        """
}

/// Finds the stretches in which a series' readings follow each other closely, from the readings themselves: page by page, so that a range with millions
/// of them takes no more memory than one with few.
struct ReadingRuns {
    private static let pageSize: Int64 = 50_000
    /// The most runs that are looked for.
    private static let most = 10_000

    let connection: any SQLConnection
    /// Participant, metric, from, to and source (empty: any), as `sql` takes them.
    let values: [SQLValue]

    /// From the first reading of each run to its last; within a run no pause is longer than `longestPause` seconds.
    func runs(_ range: SeriesRange, longestPause: Double) throws(StoreError) -> [(Timestamp, Timestamp)] {
        var runs: [(Timestamp, Timestamp)] = []
        var from = range.from, page: [SQLRow]
        repeat {
            page = try connection.rowsPlannedForValues(Self.sql, [values[0], values[1], .time(from), values[3], values[4]])
            for row in page {
                let time = row.time(0)
                if let last = runs.last?.1, Double(time.microseconds - last.microseconds) <= longestPause * 1_000_000 {
                    runs[runs.count - 1].1 = time
                } else {
                    runs.append((time, time))
                }
                from.microseconds = time.microseconds + 1
            }
            guard runs.count <= Self.most else {
                throw StoreError(
                    .badRequest, operation: "query",
                    detail: "there are more than \(Self.most) gaps; ask for a shorter range or for longer gaps")
            }
        } while page.count == Self.pageSize
        return runs
    }

    private static let sql = """
        SELECT DISTINCT time FROM reading
        WHERE participant = $1 AND metric = $2 AND time >= $3 AND time < $4 AND \(Lookup.isFrom("$5")) ORDER BY time LIMIT \(pageSize)
        """
}
