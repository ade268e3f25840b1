package import VigilSchema

/// What a run of sealing moved.
package struct SealingReport: Hashable, Sendable {
    package var readings = 0
    package var blocks = 0
    /// Of the blocks.
    package var bytes = 0

    package init() {}
}

/// What was unsealed.
package struct UnsealingReport: Hashable, Sendable {
    package var readings = 0
    /// The blocks whose days stay sealed, with what is wrong.
    package var damaged: [String] = []
}

extension SQLTimelineStore {
    package func sealDays(before end: Timestamp) async throws(StoreError) -> SealingReport {
        var report = SealingReport()
        while !Task.isCancelled, let day = try await nextDay(before: end.microseconds) {
            let series = try await readAtLength { connection throws(StoreError) in try SealingPlan.series(day, connection) }
            for some in SealingPlan.steps(series) where !Task.isCancelled {
                let sealed = try await maintain { connection throws(StoreError) in
                    try connection.lockSealing()
                    guard try SealingPause.allowsSealing(connection) else { return [SealedTable.Sealed]?.none }
                    try SealingPlan.lock(some, connection)
                    var sealed: [SealedTable.Sealed] = []
                    for key in some { if let one = try SealedTable(connection).seal(key) { sealed.append(one) } }
                    return sealed
                }
                guard let sealed else { return report }
                for one in sealed { report.add(one) }
            }
            // Whoever is importing such days is not to have each sealed again behind every message: the next run goes
            // on.
            guard !Task.isCancelled, try await maintain({ connection throws(StoreError) in try SealingMark.end(day, on: connection) })
            else { break }
        }
        return report
    }

    /// The first day from the mark on that has readings, noted as begun; nil where it does not end before a moment.
    private func nextDay(before end: Int64) async throws(StoreError) -> Int64? {
        try await maintain { connection throws(StoreError) in
            guard try SealingPause.allowsSealing(connection) else { return nil }
            let mark = try SealingMark.read(connection) ?? RetentionSQL.earliest
            let sql = "SELECT time FROM reading WHERE time >= $1 ORDER BY time LIMIT 1"
            guard let first = try connection.rows(sql, [.time(Timestamp(microseconds: mark))]).first?.time(0) else { return nil }
            let day = RollupLevel.day.start(of: first.microseconds)
            guard day + RollupLevel.day.width <= end else { return nil }
            try SealingMark.begin(day, on: connection)
            return day
        }
    }

    package func unsealDays() async throws(StoreError) -> UnsealingReport {
        var (report, place) = (UnsealingReport(), SealedTable.start)
        while !Task.isCancelled {
            let after = place
            let next = try await maintain { connection throws(StoreError) in try SealedTable(connection).unsealNext(after: after) }
            guard let next else { break }
            place = next.place
            switch next.outcome {
            case .success(let count): report.readings += count
            case .failure(let error) where report.damaged.last != error.detail: report.damaged.append(error.detail)
            case .failure: break
            }
        }
        return report
    }
}

extension SQLTimelineStore {
    package func pauseSealing(_ isPaused: Bool) async throws(StoreError) {
        try await maintain { connection throws(StoreError) in try SealingPause.set(isPaused, on: connection) }
    }

    package func isSealingPaused() async throws(StoreError) -> Bool {
        try await read { connection throws(StoreError) in try SealingPause.read(connection) }
    }
}

/// The row of the table `setting` that is there while sealing is paused.
private enum SealingPause {
    private static let isRow = "name = 'sealing paused'"

    static func read(_ connection: any SQLConnection) throws(StoreError) -> Bool {
        try !connection.rows("SELECT 1 FROM setting WHERE \(isRow)").isEmpty
    }

    static func set(_ isPaused: Bool, on connection: any SQLConnection) throws(StoreError) {
        let sql =
            isPaused
            ? "INSERT INTO setting (name, value) VALUES ('sealing paused', '') ON CONFLICT DO NOTHING"
            : "DELETE FROM setting WHERE \(isRow)"
        try connection.run(sql, [])
    }

    /// Returns whether readings may be sealed: not while it is paused, nor where no rollups are kept.
    static func allowsSealing(_ connection: any SQLConnection) throws(StoreError) -> Bool {
        guard try !read(connection) else { return false }
        return try Lookup(connection: connection).hasRollups()
    }
}

extension SealingReport {
    fileprivate mutating func add(_ sealed: SealedTable.Sealed) {
        readings += sealed.readings
        blocks += sealed.blocks
        bytes += sealed.bytes
    }
}

/// The series of a day that are worth a block.
private enum SealingPlan {
    /// A block of fewer readings would be larger than they are.
    private static let fewest = 32
    /// Of a transaction, if one series has no more: some tenths of a second, in which nobody else can write to SQLite.
    private static let readingsAtOnce = 50_000

    typealias Series = (key: RollupKey, count: Int)

    static func series(_ day: Int64, _ connection: any SQLConnection) throws(StoreError) -> [Series] {
        let rows = try connection.rows(
            """
            SELECT participant, metric, source, min(time), count(*) FROM reading WHERE time >= $1 AND time < $2
            GROUP BY participant, metric, source HAVING count(*) >= \(fewest) AND count(value) = count(*)
            ORDER BY participant, metric, source
            """,
            [.time(Timestamp(microseconds: day)), .time(Timestamp(microseconds: day + RollupLevel.day.width))])
        return rows.map { (RollupKey(Identity(sealed: $0), level: .day), Int($0.integer(4))) }
    }

    /// Keeps appends of the participant away until the transaction's end: those under way are waited for.
    static func lock(_ series: [RollupKey], _ connection: any SQLConnection) throws(StoreError) {
        for participant in Set(series.map(\.participant)).sorted() {
            let sql = "SELECT id FROM participant WHERE id = $1 \(type(of: connection).lockingClause)"
            _ = try connection.rows(sql, [.integer(Int64(participant))])
        }
    }

    /// Of one participant each.
    static func steps(_ series: [Series]) -> [[RollupKey]] {
        var steps: [[RollupKey]] = []
        var room = 0
        for (key, count) in series {
            if count > room || steps.last?.first?.participant != key.participant {
                steps.append([])
                room = readingsAtOnce
            }
            steps[steps.count - 1].append(key)
            room -= count
        }
        return steps
    }
}
