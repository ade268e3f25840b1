import VigilSchema

/// One append call: prepared once, repeated where other transactions were in the way, without what the database refuses.
struct PostgresAppend {
    /// The number of immediate repetitions of a transaction; after that the caller decides when to try again.
    private static let attempts = 5

    let connection: PostgresConnection

    func run(_ batches: [ObservationBatch]) throws(StoreError) -> [AppendCounts] {
        do throws(StoreError) {
            return try write(connection.prepare(batches))
        } catch  where error.code == .refused {
            // Perhaps only because a participant or session was removed that this connection had met.
            connection.dimensions.removeAll()
        }
        return try Salvage(
            prepare: { batches throws(StoreError) in try connection.prepare(batches) },
            write: { rows, isTrial throws(StoreError) in try write(rows, trial: isTrial) }
        ).run(batches)
    }

    private func write(_ prepared: Prepared, trial: Bool = false) throws(StoreError) -> [AppendCounts] {
        guard !prepared.readings.isEmpty || !prepared.blocks.isEmpty else { return prepared.counts }
        var attempt = 1
        while true {
            do throws(StoreError) {
                try Partitions(connection: connection).prepare(prepared)
                return try PostgresAppender(connection: connection).run(prepared, trial: trial)
            } catch  where attempt < Self.attempts && (error.code == .conflict || error.isMissingPartition) {
                attempt += 1
                connection.months.removeAll()
            }
        }
    }
}

/// Writes one append call's rows to PostgreSQL, in a transaction of its own.
///
/// First by `COPY` straight into the tables, which the keys make fail where an identity is known; then it is rolled back, the known
/// identities are looked up in one query, the new rows copied, and the others decided one by one.
struct PostgresAppender {
    /// About 90 kB: the server works on one piece while the next is written.
    private static let pieceRows = 1000

    let connection: PostgresConnection

    /// Stores the rows, and gives the counts.
    /// - Parameter trial: rolls everything back at the end, to find out whether the database takes the rows.
    func run(_ prepared: Prepared, trial: Bool = false) throws(StoreError) -> [AppendCounts] {
        if !connection.expectsRepetitions && !trial {
            do throws(StoreError) {
                return try transaction(trial: false) { () throws(StoreError) in try insert(prepared) }
            } catch {
                // The day of a known reading may be sealed, so that no key makes the copy fail: then the look at the end does.
                if error.isDivisionByZero && !connection.expectsSealed {
                    connection.expectsSealed = true
                    return try run(prepared)
                }
                guard error.isUniqueViolation else { throw error }
            }
        }
        return try transaction(trial: trial) { () throws(StoreError) in
            let (counts, known) = try replay(prepared, trial: trial)
            connection.expectsRepetitions = known > 0
            return counts
        }
    }

    private func transaction<Result>(trial: Bool, _ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        do throws(StoreError) {
            // The first COPY starts the transaction itself, in the same round trip, where it comes first.
            let result = try body()
            // Mostly committed already, with the last statements.
            if connection.isInTransaction { if trial { try connection.execute("ROLLBACK") } else { try connection.commit() } }
            return result
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    /// All the rows as new ones.
    private func insert(_ given: Prepared) throws(StoreError) -> [AppendCounts] {
        var prepared = try kept(given)
        let looks = connection.expectsSealed
        if looks { try unseal(&prepared) }
        var counts = prepared.counts
        var delta = RollupDelta()
        try copy(prepared.readings, prepared) {
            for reading in prepared.readings {
                counts[Int(reading.place.batch)].stored += 1
                if connection.keepsRollups { delta.add(reading) }
            }
        }
        try copy(prepared.blocks, prepared)
        for block in prepared.blocks { counts[Int(block.place.batch)].stored += 1 }
        try finish(prepared, delta, trial: false, looked: looks)
        return counts
    }

    /// The new rows as new ones, the others by the rule of corrections. Also says how many were known.
    private func replay(_ given: Prepared, trial: Bool) throws(StoreError) -> (counts: [AppendCounts], known: Int) {
        try connection.execute(begin(given))
        var prepared = try kept(given)
        try unseal(&prepared)
        var counts = prepared.counts
        var delta = RollupDelta()
        let readings = try KnownIdentities(connection).sort(readings: prepared)
        let blocks = try KnownIdentities(connection).sort(blocks: prepared.blocks)
        try copy(readings.new, prepared)
        try copy(blocks.new, prepared)
        for reading in readings.new {
            counts[Int(reading.place.batch)].stored += 1
            if connection.keepsRollups { delta.add(reading) }
        }
        for block in blocks.new { counts[Int(block.place.batch)].stored += 1 }
        for place in readings.duplicates + blocks.duplicates { counts[Int(place.batch)].duplicates += 1 }
        let corrections = PostgresCorrections(connection: connection, prepared: prepared)
        try corrections.keepBeyondUndo(readings.imported)
        for (reading, verdict) in try corrections.resolve(readings.open) {
            counts[Int(reading.place.batch)].count(verdict, at: reading.place)
            if verdict == .correction && connection.keepsRollups { delta.recount(reading.identity) }
        }
        for block in blocks.open {
            counts[Int(block.place.batch)].count(try CorrectionSQL.resolve(block, on: connection), at: block.place)
        }
        try finish(prepared, delta, trial: trial, looked: true)
        return (counts, readings.known + blocks.known)
    }

    /// Without the readings that are older than what is kept, which a retention run may not change before the transaction's end.
    private func kept(_ prepared: Prepared) throws(StoreError) -> Prepared {
        guard KeptFrom.concerns(prepared) else { return prepared }
        if !connection.isInTransaction { try connection.execute(begin(prepared)) }
        var kept = prepared
        try KeptFrom.reject(in: &kept, on: connection)
        return kept
    }

    /// Moves back what is about to be repeated, corrected or added to, and notes whether there may be such days.
    private func unseal(_ prepared: inout Prepared) throws(StoreError) {
        if !connection.isInTransaction { try connection.execute(begin(prepared)) }
        connection.expectsSealed = try SealedTable(connection).unseal(for: &prepared)
    }

    private func copy(_ readings: [ReadingRow], _ prepared: Prepared, meanwhile: () -> Void = {}) throws(StoreError) {
        guard !readings.isEmpty else { return }
        var sent = 0
        func next() -> [UInt8]? {
            guard sent < readings.count else { return nil }
            let part = readings[sent..<min(sent + Self.pieceRows, readings.count)]
            sent = part.endIndex
            return CopyFormat.piece(part, prepared)
        }
        try connection.copy(copySQL("reading (\(CopyFormat.readingColumns))", prepared), next: next, meanwhile: meanwhile)
    }

    private func copy(_ blocks: [BlockRow], _ prepared: Prepared) throws(StoreError) {
        guard !blocks.isEmpty else { return }
        var rest = blocks.makeIterator()
        try connection.copy(
            copySQL("waveform (\(CopyFormat.blockColumns))", prepared), next: { rest.next().map { CopyFormat.piece($0) } })
    }

    private func copySQL(_ target: String, _ prepared: Prepared) -> String {
        "\(connection.isInTransaction ? "" : begin(prepared))COPY \(target) FROM STDIN (FORMAT binary)"
    }

    /// Starts the transaction, and keeps the participants and sessions from being removed until it ends. Fails, with a division by zero, which is
    /// `.refused`, where one is gone already: the server has to tell, or it would take another round trip. It gives no number twice.
    private func begin(_ prepared: Prepared) -> String {
        let tables = [("participant", prepared.names.participantNumbers), ("session", prepared.names.sessionNumbers)]
        return tables.filter { !$0.1.isEmpty }.reduce(into: "BEGIN; ") { sql, known in
            sql += """
                SELECT 1 / (count(*) = \(known.1.count))::integer
                FROM (SELECT FROM \(known.0) WHERE id IN (\(known.1.map(String.init).joined(separator: ","))) FOR KEY SHARE) AS known;
                """
        }
    }

    /// Sessions, rollups and the commit in one round trip; where minutes have to be counted anew, the commit is the caller's.
    /// - Parameter looked: whether sealed days were looked for; otherwise the server fails the commands where there may be any.
    private func finish(_ prepared: Prepared, _ delta: RollupDelta, trial: Bool, looked: Bool) throws(StoreError) {
        var commands = TimeBounds.updates(prepared).map {
            PostgresConnection.Command(sql: $0.sql, parameters: $0.values.map(PostgresParameter.init))
        }
        if let first = prepared.readings.first, !looked { commands.append(SealedTable.refusal(of: first.identity.time)) }
        for (level, sums) in delta.levels() where !sums.isEmpty { commands.append(PostgresConnection.addition(sums, level)) }
        if delta.recounts.isEmpty && !trial { commands += connection.commitCommands }
        try connection.pipeline(commands)
        try RollupSQL.recount(delta.recounts, on: connection)
    }
}

extension StoreError {
    /// A condition that the server checks in passing does not hold.
    var isDivisionByZero: Bool { databaseCode == "22012" }
    /// Another row has the identity.
    var isUniqueViolation: Bool { databaseCode == "23505" }
}
