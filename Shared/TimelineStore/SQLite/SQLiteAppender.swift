import SQLiteDatabase
import VigilSchema

/// Writes one append call's rows to a SQLite file, inside the caller's transaction.
struct SQLiteAppender {
    private let connection: SQLiteConnection
    private var delta = RollupDelta()

    init(_ connection: SQLiteConnection) { self.connection = connection }

    /// Stores the rows and adds what became of them to the counts.
    /// - Parameter oneByOne: readings may be known already; otherwise one that is makes the call fail, as `.refused`.
    mutating func run(_ prepared: inout Prepared, oneByOne: Bool) throws(StoreError) {
        if KeptFrom.concerns(prepared) { try KeptFrom(connection).reject(in: &prepared) }
        if oneByOne { try insertEach(&prepared) } else { try insertAll(&prepared) }
        try insertBlocks(&prepared)
        for values in SessionSQL.values(prepared) { try connection.run(SessionSQL.sql, values) }
        guard connection.keepsRollups else { return }
        for (level, sums) in delta.levels() { try add(sums, level) }
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
        for reading in prepared.readings {
            let verdict: Verdict
            do {
                verdict = try insert(reading, prepared)
            } catch  where error.code == .refused {
                prepared.reject(reading.place, error.detail)
                continue
            }
            if verdict != .new { known += 1 }
            prepared.counts[Int(reading.place.batch)].count(verdict)
            guard connection.keepsRollups else { continue }
            if verdict == .new { delta.add(reading) }
            if verdict == .correction { delta.recount(reading.identity) }
        }
        connection.expectsRepetitions = known > 0
    }

    private func insert(_ reading: Reading, _ prepared: Prepared) throws(StoreError) -> Verdict {
        let text = prepared.text(reading)
        try SQLiteRows.insert(1, .readings, on: connection) { _, statement, first throws(SQLiteError) in
            try statement.bind(reading, text: text, from: first)
        }
        guard connection.database.changes == 0 else { return .new }
        return try CorrectionSQL.resolve(reading, text: text, on: connection)
    }

    // MARK: Blocks and rollups

    private func insertBlocks(_ prepared: inout Prepared) throws(StoreError) {
        for block in prepared.blocks {
            do throws(StoreError) {
                let changes = try connection.run(Self.blockSQL, block.identity.values + block.content + block.circumstances)
                let verdict = changes > 0 ? .new : try CorrectionSQL.resolve(block, on: connection)
                prepared.counts[Int(block.place.batch)].count(verdict)
            } catch  where error.code == .refused {
                prepared.reject(block.place, error.detail)
            }
        }
    }

    private static let blockSQL = """
        INSERT INTO waveform (time, participant, metric, source, seq, ends, period, count, min, max, samples, received, session, origin, zone)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) ON CONFLICT DO NOTHING
        """

    private func add(_ sums: [(key: RollupKey, aggregate: Aggregate)], _ level: RollupLevel) throws(StoreError) {
        try SQLiteRows.insert(sums.count, .rollups(level), on: connection) { index, statement, first throws(SQLiteError) in
            try statement.bind(sums[index].key, sums[index].aggregate, from: first)
        }
    }
}
