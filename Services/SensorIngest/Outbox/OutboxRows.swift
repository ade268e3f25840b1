import SQLiteDatabase

/// How the outbox's rows are written.
enum OutboxRows {
    /// - Returns: the batch's serial.
    static func insert(_ entry: OutboxEntry, published: Int64, due: Int64, _ database: Database) throws -> Int64 {
        try database.run(
            "INSERT INTO batches (id, topic, payload, published, due) VALUES (?, ?, ?, ?, ?)",
            [.text(entry.id), .text(entry.topic), .blob(entry.payload), .integer(published), .integer(due)])
        return database.lastInsertedRow
    }

    /// - Returns: the wish's row. It waits for one batch; more are set by the caller.
    static func insert(_ ask: ReceiptRequest, _ database: Database) throws -> Int64 {
        try database.run(
            "INSERT INTO asks (topic, correlation, accepted, refused, reason, pending) VALUES (?, ?, ?, ?, ?, 1)",
            [
                .text(ask.topic), ask.correlation.map { .blob($0) } ?? .null, .integer(Int64(ask.accepted)), .integer(Int64(ask.refused)),
                ask.reason.map { .text($0) } ?? .null,
            ])
        return database.lastInsertedRow
    }
}
