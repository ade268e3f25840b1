package import VigilSchema

extension SQLTimelineStore {
    package func removeReadings(
        _ metrics: [String], participant: String, source: String, at time: Timestamp
    ) async throws(StoreError) -> Int {
        try await remove { connection throws(StoreError) in
            let lookup = Lookup(connection: connection)
            guard let person = try lookup.participant(participant) else { return 0 }
            try connection.lockSealing()
            // As every change of rollups: their lock comes first.
            let hasRollups = try lookup.hasRollups()
            if hasRollups { try connection.lockRollups() }
            let sources = try connection.rows("SELECT id FROM source WHERE name = $1", [.text(source)]).map { $0.integer(0) }
            var (count, days): (Int, Set<RollupKey>) = (0, [])
            for name in Set(metrics) {
                guard let metric = try lookup.metric(name) else { continue }
                for source in sources {
                    try SealedTable(connection).unseal(RollupKey(person, metric, source, time))
                    let removed = try connection.removeReading(person, metric, source, time)
                    guard removed > 0 else { continue }
                    count += removed
                    days.insert(RollupKey(person, metric, source, time))
                }
            }
            if hasRollups { try RollupRebuild(connection: connection).run(days: days) }
            return count
        }
    }
}

extension SQLConnection {
    fileprivate func removeReading(_ person: Int64, _ metric: Int64, _ source: Int64, _ time: Timestamp) throws(StoreError) -> Int {
        let key: [SQLValue] = [.time(time), .integer(person), .integer(metric), .integer(source)]
        try run(
            "DELETE FROM correction WHERE time = $1 AND participant = $2 AND metric = $3 AND source = $4 AND samples IS NULL", key)
        return try run("DELETE FROM reading WHERE time = $1 AND participant = $2 AND metric = $3 AND source = $4", key)
    }
}

extension RollupKey {
    fileprivate init(_ person: Int64, _ metric: Int64, _ source: Int64, _ time: Timestamp) {
        let identity = Identity(
            time: time.microseconds, participant: Int32(truncatingIfNeeded: person), metric: Int32(truncatingIfNeeded: metric),
            source: Int32(truncatingIfNeeded: source), sequence: 0)
        self.init(identity, level: .day)
    }
}
