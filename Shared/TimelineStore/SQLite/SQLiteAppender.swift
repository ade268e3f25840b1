import SQLiteDatabase
import VigilSchema

/// Writes one append call's rows to a SQLite file, inside the caller's transaction.
struct SQLiteAppender {
    let connection: SQLiteConnection
    let rollups: Bool
    private var delta = RollupDelta()

    init(_ connection: SQLiteConnection, rollups: Bool) {
        self.connection = connection
        self.rollups = rollups
    }

    /// Stores the rows and adds what became of them to the counts.
    mutating func run(_ prepared: inout Prepared) throws(StoreError) {
        if KeptFrom.concerns(prepared) { try KeptFrom(connection).reject(in: &prepared) }
        try insertReadings(&prepared)
        try insertBlocks(&prepared)
        try SessionSQL.extend(prepared, on: connection)
        guard rollups else { return }
        for (level, sums) in delta.levels() { try add(sums, level) }
        try RollupSQL.recount(delta.recounts, on: connection)
    }

    private mutating func insertReadings(_ prepared: inout Prepared) throws(StoreError) {
        guard !prepared.readings.isEmpty else { return }
        let statement = try statement("INSERT INTO reading VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT DO NOTHING")
        for reading in prepared.readings {
            let verdict: Verdict
            do {
                verdict = try insert(reading, prepared, statement)
            } catch  where error.code == .refused {
                prepared.reject(reading.place, error.detail)
                continue
            }
            count(verdict, reading.place, &prepared)
            guard rollups else { continue }
            if verdict == .new { delta.add(reading) }
            if verdict == .correction { delta.recount(reading.identity) }
        }
    }

    private func insert(_ reading: Reading, _ prepared: Prepared, _ statement: Statement) throws(StoreError) -> Verdict {
        do {
            try bind(reading, prepared, statement)
            _ = try statement.step()
        } catch {
            throw StoreError(error, operation: "append")
        }
        guard connection.database.changes == 0 else { return .new }
        return try CorrectionSQL.resolve(reading, text: prepared.text(reading), on: connection)
    }

    private func bind(_ reading: Reading, _ prepared: Prepared, _ statement: Statement) throws(SQLiteError) {
        statement.reset()
        try bind(reading.identity, statement)
        if let text = prepared.text(reading) {
            try statement.bind(text, at: 7)
        } else {
            try statement.bind(reading.value, at: 6)
        }
        try statement.bind(reading.received, at: 8)
        if reading.session != Reading.none { try statement.bind(Int64(reading.session), at: 9) }
        if reading.origin != Reading.none { try statement.bind(Int64(reading.origin), at: 10) }
        if reading.zone != .min { try statement.bind(Int64(reading.zone), at: 11) }
    }

    private func bind(_ identity: Identity, _ statement: Statement) throws(SQLiteError) {
        try statement.bind(identity.time, at: 1)
        try statement.bind(Int64(identity.participant), at: 2)
        try statement.bind(Int64(identity.metric), at: 3)
        try statement.bind(Int64(identity.source), at: 4)
        try statement.bind(Int64(identity.sequence), at: 5)
    }

    private func insertBlocks(_ prepared: inout Prepared) throws(StoreError) {
        let columns = "time, participant, metric, source, seq, ends, period, count, min, max, samples, received, session, origin, zone"
        let parameters = (1...15).map { "$\($0)" }.joined(separator: ", ")
        for block in prepared.blocks {
            do throws(StoreError) {
                let changes = try connection.run(
                    "INSERT INTO waveform (\(columns)) VALUES (\(parameters)) ON CONFLICT DO NOTHING",
                    block.identity.values + block.content + block.circumstances)
                count(changes > 0 ? .new : try CorrectionSQL.resolve(block, on: connection), block.place, &prepared)
            } catch  where error.code == .refused {
                prepared.reject(block.place, error.detail)
            }
        }
    }

    private func add(_ sums: [(key: RollupKey, aggregate: Aggregate)], _ level: RollupLevel) throws(StoreError) {
        let statement = try statement(RollupSQL.add(level, rows: RollupSQL.placeholders).replacing("$", with: "?"))
        do {
            for (key, aggregate) in sums {
                statement.reset()
                try bind(key, aggregate, statement)
                _ = try statement.step()
            }
        } catch {
            throw StoreError(error, operation: "append")
        }
        statement.reset()
    }

    /// Value by value: an array for each of many rows would cost as much as the row.
    private func bind(_ key: RollupKey, _ aggregate: Aggregate, _ statement: Statement) throws(SQLiteError) {
        try statement.bind(Int64(key.participant), at: 1)
        try statement.bind(Int64(key.metric), at: 2)
        try statement.bind(Int64(key.source), at: 3)
        try statement.bind(key.start, at: 4)
        try statement.bind(aggregate.count, at: 5)
        try statement.bind(aggregate.sum, at: 6)
        try statement.bind(aggregate.min, at: 7)
        try statement.bind(aggregate.max, at: 8)
        try statement.bind(aggregate.first, at: 9)
        try statement.bind(aggregate.firstTime.microseconds, at: 10)
        try statement.bind(Int64(aggregate.firstSequence), at: 11)
        try statement.bind(aggregate.last, at: 12)
        try statement.bind(aggregate.lastTime.microseconds, at: 13)
        try statement.bind(Int64(aggregate.lastSequence), at: 14)
    }

    private func statement(_ sql: String) throws(StoreError) -> Statement {
        do { return try connection.database.statement(sql) } catch { throw StoreError(error, operation: "append") }
    }

    private func count(_ verdict: Verdict, _ place: Place, _ prepared: inout Prepared) {
        prepared.counts[Int(place.batch)].count(verdict)
    }
}
