import VigilSchema

/// Finds the stretches in which a series' readings follow each other closely, from the readings themselves: page by page, so that a range with millions
/// of them takes no more memory than one with few.
struct ReadingRuns {
    private static let pageSize: Int64 = 50_000
    /// The most runs that are looked for.
    private static let most = 10_000

    let connection: any SQLConnection
    /// Participant, metric, from, to and source (less than 0: any) by number, as `sql` takes them.
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
        WHERE participant = $1 AND metric = $2 AND time >= $3 AND time < $4 AND ($5 < 0 OR source = $5) ORDER BY time LIMIT \(pageSize)
        """
}
