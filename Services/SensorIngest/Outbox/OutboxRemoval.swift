import SQLiteDatabase

/// Takes batches out of the outbox within one transaction, and counts what it took.
struct OutboxRemoval: Sendable {
    private(set) var batches = 0
    private(set) var bytes = 0
    /// The latest serial that was confirmed, by topic.
    private var latest: [String: Int64] = [:]

    /// Removes a batch, if it is there, and counts it off from those who asked about it.
    mutating func remove(_ id: String, failure: String?, dropsAsks: Bool, _ database: Database) throws {
        let row = try database.statement("SELECT serial, topic, length(payload) FROM batches WHERE id = ?")
        defer { row.reset() }
        try row.bind(id, at: 1)
        guard try row.step() else { return }
        let serial = row.integer(0), topic = row.text(1)
        batches += 1
        bytes += Int(row.integer(2))
        latest[topic] = max(latest[topic] ?? 0, serial)
        try database.run("DELETE FROM batches WHERE serial = ?", [.integer(serial)])
        if dropsAsks {
            try database.run(
                "DELETE FROM asks WHERE ask IN (SELECT ask FROM ask_batches WHERE batch = ?)", [.integer(serial)])
        } else {
            try database.run(
                """
                UPDATE asks SET pending = pending - 1, failure = coalesce(failure, ?)
                WHERE ask IN (SELECT ask FROM ask_batches WHERE batch = ?)
                """, [failure.map { .text($0) } ?? .null, .integer(serial)])
        }
        try database.run("DELETE FROM ask_batches WHERE batch = ?", [.integer(serial)])
    }

    /// Batches that were overtaken are published again soon.
    func hurryOvertaken(until due: Int64, _ database: Database) throws {
        for (topic, serial) in latest {
            try database.run(
                "UPDATE batches SET due = ?1 WHERE topic = ?2 AND serial < ?3 AND due > ?1",
                [.integer(due), .text(topic), .integer(serial)])
        }
    }
}
