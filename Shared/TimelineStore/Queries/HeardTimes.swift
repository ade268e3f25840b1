import VigilSchema

/// Finds the stretches in which a series is heard, with no longer pause in them than is asked for: page by page, so that a range with millions of
/// readings or blocks takes no more memory than one with few.
struct HeardTimes {
    typealias Run = (from: Timestamp, to: Timestamp)

    private static let page: Int64 = 10_000

    private let connection: any SQLConnection
    private let range: SeriesRange
    private let participant: Int64
    private let metric: Int64
    private let longestPause: Double
    /// The most runs that are looked for. Pauses of less than a minute may be as many as there are readings.
    private let most: Int

    /// - Parameter longestPause: seconds.
    /// - Returns: nil where the participant or the metric is unknown.
    init?(_ connection: any SQLConnection, _ range: SeriesRange, longestPause: Double) throws(StoreError) {
        guard let numbers = try Lookup(connection: connection).numbers(range) else { return nil }
        (self.connection, self.range) = (connection, range)
        (participant, metric) = (numbers.participant, numbers.metric)
        self.longestPause = longestPause * 1_000_000
        most = longestPause < 60 ? 10_000 : 200_000
    }

    /// Of the minutes that hold numbers, whichever source they are from; for pauses of a minute and more.
    func minutes() throws(StoreError) -> [Run] {
        let sql = """
            SELECT time, first_time, last_time, source FROM rollup_minute WHERE \(Self.series) AND (time, source) > ($3, $6)
            ORDER BY time, source LIMIT \(Self.page)
            """
        var source: Int64 = -1
        return try runs(from: RollupLevel.minute.start(of: range.from), sql, { [.integer(source)] }) { row in
            source = row.integer(3)
            return (row.time(1), row.time(2))
        }
    }

    /// Of the readings themselves.
    func readings(where condition: String, isOfTexts: Bool = false) throws(StoreError) -> [Run] {
        let sql = """
            SELECT DISTINCT time FROM reading WHERE \(Self.series) AND \(condition) AND time > $6 ORDER BY time LIMIT \(Self.page)
            """
        var from = Timestamp(microseconds: range.from.microseconds - 1)
        let heard: (SQLRow) -> Run = { row in
            from = row.time(0)
            return (from, from)
        }
        return try runs(from: range.from, sql, { [.time(from)] }, heard) + (isOfTexts ? [] : sealed())
    }

    /// Of the sealed readings.
    private func sealed() throws(StoreError) -> [Run] {
        var runs: [Run] = []
        var time = range.from.microseconds - 1
        let scan = SealedScan(
            connection, participant: participant, metrics: [metric], source: range.source ?? "", from: range.from, to: range.to)
        while case let rows = try scan.rows(after: (time, .max, .max, .max), limit: Int(Self.page)), let last = rows.last {
            for row in rows { try add((row.time, row.time), to: &runs) }
            time = last.reading.time
        }
        return runs
    }

    /// Of the blocks of samples. One that began before the range may reach into it.
    func blocks() throws(StoreError) -> [Run] {
        let sql = """
            SELECT time, ends, source, seq FROM waveform
            WHERE \(Self.series) AND ends > $6 AND (time, source, seq) > ($3, $7, $8) ORDER BY time, source, seq LIMIT \(Self.page)
            """
        var (source, sequence) = (Int64(-1), Int64.min / 4)
        let before = try Lookup(connection: connection).beforeBlocks(of: metric, reaching: range.from)
        return try runs(from: before, sql, { [.time(range.from), .integer(source), .integer(sequence)] }) { row in
            (source, sequence) = (row.integer(2), row.integer(3))
            return (row.time(0), row.time(1))
        }
    }

    private static let series = "participant = $1 AND metric = $2 AND time >= $3 AND time < $4 AND \(Lookup.isFrom("$5"))"

    /// - Parameters:
    ///   - place: the values behind those of `series`: the place behind the last row.
    ///   - heard: from when to when a row says that something was heard.
    private func runs(
        from first: Timestamp, _ sql: String, _ place: () -> [SQLValue], _ heard: (SQLRow) -> Run
    ) throws(StoreError) -> [Run] {
        var runs: [Run] = []
        var from = first, rows: [SQLRow]
        repeat {
            let series: [SQLValue] = [.integer(participant), .integer(metric), .time(from), .time(range.to), .text(range.source ?? "")]
            rows = try connection.rowsPlannedForValues(sql, series + place())
            for row in rows { try add(heard(row), to: &runs) }
            if let last = rows.last { from = last.time(0) }
        } while rows.count == Self.page
        return runs
    }

    private func add(_ run: Run, to runs: inout [Run]) throws(StoreError) {
        if let last = runs.last, Double(run.from.microseconds - last.to.microseconds) <= longestPause {
            runs[runs.count - 1] = (min(last.from, run.from), max(last.to, run.to))
            return
        }
        guard runs.count < most else {
            throw StoreError(
                .badRequest, operation: "query", detail: "there are more than \(most) gaps; ask for a shorter range or for longer gaps")
        }
        runs.append(run)
    }
}
