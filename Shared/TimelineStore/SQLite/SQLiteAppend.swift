import SQLiteDatabase
import VigilSchema

/// One append call, in one transaction: at first with all rows as new ones, many to a statement; where one is known already, or refused,
/// again one by one.
struct SQLiteAppend {
    let connection: SQLiteConnection

    func run(_ batches: [ObservationBatch]) throws(StoreError) -> [AppendCounts] {
        do throws(StoreError) {
            return try store(connection.prepare(batches))
        } catch  where error.code == .refused {
            // Mostly because another process has removed a participant or session that this connection had met.
            connection.dimensions.removeAll()
        }
        return try Salvage(
            prepare: { batches throws(StoreError) in try connection.prepare(batches) },
            write: { rows, isTrial throws(StoreError) in try isTrial ? attempt(rows) : store(rows) }
        ).run(batches)
    }

    /// Finds out if the file takes the rows.
    private func attempt(_ prepared: Prepared) throws(StoreError) -> [AppendCounts] {
        try connection.execute(SQLiteConnection.beginWriting)
        defer { if connection.isInTransaction { try? connection.execute("ROLLBACK") } }
        return try write(prepared, oneByOne: true)
    }

    private func store(_ prepared: Prepared) throws(StoreError) -> [AppendCounts] {
        if !connection.expectsRepetitions {
            do throws(StoreError) {
                return try write(prepared, oneByOne: false)
            } catch {
                guard error.code == .refused else { throw error }
            }
        }
        return try write(prepared, oneByOne: true)
    }

    private func write(_ prepared: Prepared, oneByOne: Bool) throws(StoreError) -> [AppendCounts] {
        try connection.transaction { () throws(StoreError) in
            try prepared.names.check(on: connection)
            var result = prepared
            var appender = SQLiteAppender(connection)
            try appender.run(&result, oneByOne: oneByOne)
            return result.counts
        }
    }
}

/// Writes one append call's rows to a SQLite file, inside the caller's transaction.
struct SQLiteAppender {
    private let connection: SQLiteConnection
    private var delta = RollupDelta()

    init(_ connection: SQLiteConnection) { self.connection = connection }

    /// Stores the rows and adds what became of them to the counts.
    /// - Parameter oneByOne: readings may be known already; otherwise one that is makes the call fail, as `.refused`.
    mutating func run(_ prepared: inout Prepared, oneByOne: Bool) throws(StoreError) {
        try KeptFrom.reject(in: &prepared, on: connection)
        try SealedTable(connection).unseal(for: &prepared)
        if oneByOne { try insertEach(&prepared) } else { try insertAll(&prepared) }
        try insertBlocks(&prepared)
        for update in TimeBounds.updates(prepared) { try connection.run(update.sql, update.values) }
        guard connection.keepsRollups else { return }
        for (level, sums) in delta.levels() { try connection.add(sums, to: level) }
        try RollupSQL.recount(delta.recounts, on: connection)
    }

    // MARK: Readings

    private mutating func insertAll(_ prepared: inout Prepared) throws(StoreError) {
        let readings = prepared.readings
        try SQLiteRows.insert(readings.count, .newReadings, on: connection) { index, statement, first throws(SQLiteError) in
            try statement.bind(readings[index], text: prepared.text(readings[index]), from: first)
        }
        for reading in readings {
            prepared.counts[Int(reading.place.batch)].stored += 1
            if connection.keepsRollups { delta.add(reading) }
        }
    }

    private mutating func insertEach(_ prepared: inout Prepared) throws(StoreError) {
        var known = 0
        let corrections = try SQLiteCorrections(connection)
        for reading in prepared.readings {
            let verdict: Verdict
            do {
                verdict = try insert(reading, prepared, corrections)
            } catch  where error.code == .refused {
                prepared.reject(reading.place, error.detail)
                continue
            }
            if verdict != .new { known += 1 }
            prepared.counts[Int(reading.place.batch)].count(verdict, at: reading.place)
            guard connection.keepsRollups else { continue }
            if verdict == .new { delta.add(reading) }
            if verdict == .correction { delta.recount(reading.identity) }
        }
        connection.expectsRepetitions = known > 0
    }

    private func insert(_ reading: ReadingRow, _ prepared: Prepared, _ corrections: SQLiteCorrections) throws(StoreError) -> Verdict {
        let text = prepared.text(reading)
        try SQLiteRows.insert(1, .readings, on: connection) { _, statement, first throws(SQLiteError) in
            try statement.bind(reading, text: text, from: first)
        }
        guard connection.database.changes == 0 else { return .new }
        return try corrections.resolve(reading, text: text)
    }

    // MARK: Blocks

    private func insertBlocks(_ prepared: inout Prepared) throws(StoreError) {
        for block in prepared.blocks {
            do throws(StoreError) {
                let changes = try connection.run(Self.blockSQL, block.identity.values + block.content + block.circumstances)
                let verdict = changes > 0 ? .new : try CorrectionSQL.resolve(block, on: connection)
                prepared.counts[Int(block.place.batch)].count(verdict, at: block.place)
            } catch  where error.code == .refused {
                prepared.reject(block.place, error.detail)
            }
        }
    }

    private static let blockSQL = """
        INSERT INTO waveform (time, participant, metric, source, seq, ends, period, count, min, max, samples, received, session, origin, zone)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) ON CONFLICT DO NOTHING
        """
}

extension SQLiteConnection {
    func lockRollups() throws(StoreError) {}
    func lockSealing() throws(StoreError) {}

    func insert(_ readings: [SealedReading], of series: RollupKey) throws(StoreError) {
        try SQLiteRows.insert(readings.count, .newReadings, on: self) { index, statement, first throws(SQLiteError) in
            try statement.bind(ReadingRow(readings[index], of: series), text: nil, from: first)
        }
    }

    func add(_ sums: [(key: RollupKey, aggregate: Aggregate)], to level: RollupLevel) throws(StoreError) {
        try SQLiteRows.insert(sums.count, .rollups(level), on: self) { index, statement, first throws(SQLiteError) in
            try statement.bind(sums[index].key, sums[index].aggregate, from: first)
        }
    }
}
