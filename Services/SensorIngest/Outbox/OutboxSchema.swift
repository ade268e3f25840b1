import SQLiteDatabase
import ServiceKit
import VigilSchema

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
            """),
        Migration(
            2,
            """
            ALTER TABLE ask_batches ADD COLUMN places TEXT NOT NULL DEFAULT '';
            ALTER TABLE asks ADD COLUMN unstored INTEGER NOT NULL DEFAULT 0;
            CREATE TABLE stamps (packet INTEGER NOT NULL, digest INTEGER NOT NULL, stamp INTEGER NOT NULL, PRIMARY KEY (packet, digest)) WITHOUT ROWID;
            """),
        Migration(3, "ALTER TABLE asks ADD COLUMN in_payload INTEGER NOT NULL DEFAULT 0;"),
        // The line of a device that sent more than its budget; `published` is 0 until the batch's turn has come.
        Migration(4, "ALTER TABLE batches ADD COLUMN line TEXT;"),
        Migration(5, "ALTER TABLE asks ADD COLUMN corrected INTEGER NOT NULL DEFAULT 0;"),
    ]
}

/// The way the outbox's rows are written.
enum OutboxRows {
    /// - Returns: the batch's serial.
    static func insert(_ entry: OutboxEntry, published: Int64, due: Int64, _ database: Database) throws -> Int64 {
        try database.run(
            "INSERT INTO batches (id, topic, payload, published, due, line) VALUES (?, ?, ?, ?, ?, ?)",
            [
                .text(entry.id), .text(entry.topic), .blob(entry.payload), .integer(entry.line == nil ? published : 0),
                .integer(entry.line == nil ? due : .max), entry.line.map { .text($0) } ?? .null,
            ])
        return database.lastInsertedRow
    }

    /// Keeps stamps, and removes others.
    static func replace(
        _ stamps: [ArrivalStamps.Key: Timestamp], removing stale: [ArrivalStamps.Key], _ database: Database
    ) throws {
        for key in stale {
            try database.run(
                "DELETE FROM stamps WHERE packet = ? AND digest = ?",
                [.integer(Int64(key.packet)), .integer(Int64(bitPattern: key.digest))])
        }
        for (key, stamp) in stamps {
            try database.run(
                "INSERT OR REPLACE INTO stamps VALUES (?, ?, ?)",
                [.integer(Int64(key.packet)), .integer(Int64(bitPattern: key.digest)), .integer(stamp.microseconds)])
        }
    }

    static func stamps(_ database: Database) throws -> [ArrivalStamps.Key: Timestamp] {
        let row = try database.statement("SELECT packet, digest, stamp FROM stamps")
        defer { row.reset() }
        var stamps: [ArrivalStamps.Key: Timestamp] = [:]
        while try row.step() {
            let key = ArrivalStamps.Key(packet: UInt16(clamping: row.integer(0)), digest: UInt64(bitPattern: row.integer(1)))
            stamps[key] = Timestamp(microseconds: row.integer(2))
        }
        return stamps
    }

    /// - Returns: the wish's row. It waits for one batch; more are set by the caller.
    static func insert(_ ask: ReceiptRequest, _ database: Database) throws -> Int64 {
        try database.run(
            "INSERT INTO asks (topic, correlation, accepted, refused, reason, in_payload, pending) VALUES (?, ?, ?, ?, ?, ?, 1)",
            [
                .text(ask.topic), ask.correlation.map { .blob($0) } ?? .null, .integer(Int64(ask.accepted)), .integer(Int64(ask.refused)),
                ask.reason.map { .text($0) } ?? .null, .integer(ask.isInPayload ? 1 : 0),
            ])
        return database.lastInsertedRow
    }
}

/// Takes batches out of the outbox within one transaction, and counts what it took.
struct OutboxRemoval: Sendable {
    private(set) var ids: Set<String> = []
    private(set) var bytes = 0
    /// The latest serial that was confirmed, by topic.
    private var latest: [String: Int64] = [:]

    /// Removes a batch, if it is there, and counts it off from those who asked about it.
    mutating func remove(
        _ id: String, refused: Confirmation.Refused?, corrected: Confirmation.Corrected?, dropsAsks: Bool, _ database: Database
    ) throws {
        let row = try database.statement("SELECT serial, topic, length(payload) FROM batches WHERE id = ?")
        defer { row.reset() }
        try row.bind(id, at: 1)
        guard try row.step() else { return }
        let serial = row.integer(0), topic = row.text(1)
        ids.insert(id)
        bytes += Int(row.integer(2))
        latest[topic] = max(latest[topic] ?? 0, serial)
        try database.run("DELETE FROM batches WHERE serial = ?", [.integer(serial)])
        if dropsAsks {
            try database.run(
                "DELETE FROM asks WHERE ask IN (SELECT ask FROM ask_batches WHERE batch = ?)", [.integer(serial)])
        } else {
            if let unkept = refused?.observations { try count(unkept, of: serial, database) }
            if let corrected { try count(corrected: corrected.places, of: serial, database) }
            let failure = refused.flatMap { $0.observations == nil ? $0.reason : nil }
            try database.run(
                """
                UPDATE asks SET pending = pending - 1, failure = coalesce(failure, ?)
                WHERE ask IN (SELECT ask FROM ask_batches WHERE batch = ?)
                """, [failure.map { .text($0) } ?? .null, .integer(serial)])
        }
        try database.run("DELETE FROM ask_batches WHERE batch = ?", [.integer(serial)])
    }

    /// Counts the observations that the store refused off from those whose they were, and from nobody else.
    private func count(_ unkept: [Confirmation.Unkept], of serial: Int64, _ database: Database) throws {
        for (ask, coverage) in try coverages(of: serial, database) {
            let own = unkept.filter { coverage.contains(group: $0.group, observation: $0.observation) }
            guard let first = own.first else { continue }
            let count = own.count { !coverage.isContinuation(group: $0.group, observation: $0.observation) }
            try database.run(
                "UPDATE asks SET unstored = unstored + ?, reason = coalesce(reason, ?) WHERE ask = ?",
                [.integer(Int64(count)), .text(first.reason), .integer(ask)])
        }
    }

    /// Counts corrections for those whose they were.
    private func count(corrected: [(group: Int, observation: Int)], of serial: Int64, _ database: Database) throws {
        for (ask, coverage) in try coverages(of: serial, database) {
            let count = corrected.count { group, observation in
                coverage.contains(group: group, observation: observation)
                    && !coverage.isContinuation(group: group, observation: observation)
            }
            if count > 0 {
                try database.run("UPDATE asks SET corrected = corrected + ? WHERE ask = ?", [.integer(Int64(count)), .integer(ask)])
            }
        }
    }

    private func coverages(of serial: Int64, _ database: Database) throws -> [(ask: Int64, coverage: ReceiptCoverage)] {
        let row = try database.statement("SELECT ask, places FROM ask_batches WHERE batch = ?")
        defer { row.reset() }
        try row.bind(serial, at: 1)
        var found: [(Int64, ReceiptCoverage)] = []
        while try row.step() { found.append((row.integer(0), ReceiptCoverage(request: 0, text: row.text(1)))) }
        return found
    }

    /// Batches that were overtaken are published again soon, and later each time.
    /// - Parameter wait: microseconds for the first time.
    func hurryOvertaken(at now: Timestamp, wait: Int64, _ database: Database) throws {
        for (topic, serial) in latest {
            try database.run(
                """
                UPDATE batches SET due = ?1 + ?2 * (1 << min(attempts, 8))
                WHERE topic = ?3 AND serial < ?4 AND line IS NULL AND due > ?1 + ?2 * (1 << min(attempts, 8))
                """,
                [.integer(now.microseconds), .integer(wait), .text(topic), .integer(serial)])
        }
    }
}
