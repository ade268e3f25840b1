import VigilSchema

extension SQLTimelineStore {
    /// Counts all rollups anew from the readings, in one transaction, where rollups are kept: for a database that was repaired by hand.
    package func recountRollups() async throws(StoreError) {
        try await write { connection throws(StoreError) in
            guard try Lookup(connection: connection).hasRollups() else { return }
            try RollupRebuild(connection: connection).run()
        }
    }
}

/// Makes the rollups anew from the readings.
struct RollupRebuild {
    let connection: any SQLConnection

    /// Notes whether rollups are kept from now on, and says so; where they were not and shall be, makes them.
    /// - Parameter wanted: nil leaves it as it is.
    func follow(wanted: Bool?) throws(StoreError) -> Bool {
        let known = try connection.rows("SELECT value FROM setting WHERE name = 'rollups'").first?.text(0)
        let wanted = wanted ?? (known != "off")
        let now = wanted ? "on" : "off"
        guard known != now else { return wanted }
        if wanted && known == "off" { try run() }
        if !wanted {
            // Without sums, only readings in their table are found.
            try connection.lockSealing()
            var place = SealedTable.start
            while let next = try SealedTable(connection).unsealNext(after: place) {
                _ = try next.outcome.get()
                place = next.place
            }
            try clear()
        }
        try connection.run(
            "INSERT INTO setting (name, value) VALUES ('rollups', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            [.text(now)])
        return wanted
    }

    /// Counts everything anew of which the readings are kept.
    func run() throws(StoreError) {
        try connection.lockSealing()
        try connection.lockRollups()
        try clear()
        // They lie in another order now.
        try connection.execute("DELETE FROM setting WHERE name LIKE 'packed %'")
        let kept = try KeptFrom(connection)
        try add(from: RetentionSQL.earliest, to: .max / 2, of: nil) { kept.keeps($0.metric, at: $0.start) }
        try addSealed { kept.keeps($0.metric, at: $0.start) }
    }

    /// Counts some days of some series anew, and looks at no others' readings.
    /// - Parameter days: the buckets of the level `day`; those whose readings are kept no longer stay as they are.
    func run(days: Set<RollupKey>) throws(StoreError) {
        let kept = try KeptFrom(connection, of: Set(days.map(\.metric)))
        let days = days.filter { kept.keeps($0.metric, at: $0.start) }
        guard !days.isEmpty else { return }
        try connection.lockRollups()
        for level in RollupLevel.allCases {
            for day in days.sorted() {
                try connection.run(
                    "DELETE FROM \(level.table) WHERE participant = $1 AND metric = $2 AND source = $3 AND time >= $4 AND time < $5",
                    day.values + [.time(Timestamp(microseconds: day.start + RollupLevel.day.width))])
            }
        }
        for stretch in Self.stretches(days) {
            guard let first = stretch.first, let last = stretch.last else { continue }
            try add(from: first.start, to: last.start + RollupLevel.day.width, of: stretch) { days.contains($0.coarser(.day)) }
        }
    }

    /// The days by their starts, those together between which no day is left out.
    private static func stretches(_ days: Set<RollupKey>) -> [[RollupKey]] {
        days.sorted { $0.start < $1.start }.reduce(into: []) { stretches, day in
            if let last = stretches.last?.last, day.start - last.start <= RollupLevel.day.width {
                stretches[stretches.count - 1].append(day)
            } else {
                stretches.append([day])
            }
        }
    }

    private func clear() throws(StoreError) {
        let isKept = { (table: String) in
            "NOT EXISTS (SELECT 1 FROM metric m WHERE m.id = \(table).metric AND \(table).time < m.kept_from)"
        }
        for level in RollupLevel.allCases { try connection.execute("DELETE FROM \(level.table) WHERE \(isKept(level.table))") }
    }

    /// Adds the numbers between two moments to the rollups, in the order of their times, some at once.
    /// - Parameter days: the series that count; nil: all.
    private func add(from first: Int64, to last: Int64, of days: [RollupKey]?, where isWanted: (RollupKey) -> Bool) throws(StoreError) {
        let series = days.map { days in
            [days.map(\.participant), days.map(\.metric), days.map(\.source)].map { numbers in
                SQLValue.text("[\(Set(numbers).sorted().map { String($0) }.joined(separator: ","))]")
            }
        }
        let sql = sql(ofSome: series != nil)
        var cursor: (time: Int64, participant: Int64, metric: Int64, source: Int64, sequence: Int64) = (first, -1, -1, -1, .min / 2)
        while true {
            let rows = try connection.rows(
                sql,
                [
                    .time(Timestamp(microseconds: cursor.time)), .integer(cursor.participant), .integer(cursor.metric),
                    .integer(cursor.source), .integer(cursor.sequence), .time(Timestamp(microseconds: min(last, Self.end))),
                ] + (series ?? []))
            var delta = RollupDelta()
            for row in rows where !row.isNull(5) {
                let reading = ReadingRow(row)
                if isWanted(RollupKey(reading.identity, level: .minute)) { delta.add(reading) }
            }
            for (level, sums) in delta.levels() { try connection.add(sums, to: level) }
            guard rows.count == Self.pageSize, let last = rows.last else { return }
            cursor = (last.integer(0), last.integer(1), last.integer(2), last.integer(3), last.integer(4))
        }
    }

    /// Adds the numbers in blocks to the rollups, block by block.
    private func addSealed(where isWanted: (RollupKey) -> Bool) throws(StoreError) {
        try SealedTable(connection).forEachBlock { series, readings throws(StoreError) in
            var delta = RollupDelta()
            for reading in readings {
                let row = ReadingRow(reading, of: series)
                if isWanted(RollupKey(row.identity, level: .minute)) { delta.add(row) }
            }
            for (level, sums) in delta.levels() { try connection.add(sums, to: level) }
        }
    }

    private static let pageSize = 50_000
    /// After the year 9999.
    private static let end: Int64 = 253_402_300_800_000_000

    private func sql(ofSome: Bool) -> String {
        let columns = [("participant", "$7"), ("metric", "$8"), ("source", "$9")]
        let series = columns.map { " AND \($0) IN (\(type(of: connection).elements(of: $1)))" }.joined()
        return """
            SELECT time, participant, metric, source, seq, value FROM reading
            WHERE time >= $1 AND time < $6 AND (time, participant, metric, source, seq) > ($1, $2, $3, $4, $5)\(ofSome ? series : "")
            ORDER BY time, participant, metric, source, seq LIMIT \(Self.pageSize)
            """
    }
}

extension ReadingRow {
    /// A number of the columns time, participant, metric, source, seq, value.
    fileprivate init(_ row: SQLRow) {
        self.init(
            identity: Identity(
                time: row.integer(0), participant: Int32(truncatingIfNeeded: row.integer(1)),
                metric: Int32(truncatingIfNeeded: row.integer(2)), source: Int32(truncatingIfNeeded: row.integer(3)),
                sequence: Int32(truncatingIfNeeded: row.integer(4))),
            value: row.real(5), received: 0, text: Self.none, session: Self.none, origin: Self.none, zone: .min,
            place: RowPosition(batch: 0, group: 0, observation: 0))
    }
}
