import SQLiteDatabase
import ServiceKit

/// The outbox's tables.
enum OutboxSchema {
    /// `due` is when a batch is published again unless it was confirmed; times are in microseconds.
    static let migrations = [
        Migration(
            1,
            """
            CREATE TABLE batches (
                serial INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, topic TEXT NOT NULL, payload BLOB NOT NULL,
                published INTEGER NOT NULL, due INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0);
            CREATE INDEX batches_topic ON batches (topic);
            CREATE INDEX batches_due ON batches (due);
            CREATE TABLE asks (
                ask INTEGER PRIMARY KEY, topic TEXT NOT NULL, correlation BLOB, accepted INTEGER NOT NULL, refused INTEGER NOT NULL,
                reason TEXT, failure TEXT, pending INTEGER NOT NULL);
            CREATE INDEX asks_done ON asks (ask) WHERE pending <= 0;
            CREATE TABLE ask_batches (batch INTEGER NOT NULL, ask INTEGER NOT NULL, PRIMARY KEY (batch, ask)) WITHOUT ROWID;
            """)
    ]
}

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
