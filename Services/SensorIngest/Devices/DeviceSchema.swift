import SQLiteDatabase
import ServiceKit
import VigilSchema

/// The registry's tables, and how they are read and written. Times and offsets are in microseconds.
enum DeviceSchema {
    static let migrations = [
        Migration(
            1,
            """
            CREATE TABLE devices (
                participant TEXT NOT NULL, device TEXT NOT NULL, first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL,
                messages INTEGER NOT NULL, accepted INTEGER NOT NULL, refused INTEGER NOT NULL,
                reject_code TEXT, reject_reason TEXT, reject_time INTEGER, clock_offset INTEGER, quarantined INTEGER NOT NULL DEFAULT 0,
                UNIQUE (participant, device));
            CREATE INDEX devices_last_seen ON devices (last_seen);
            CREATE TABLE bindings (device TEXT PRIMARY KEY, participant TEXT NOT NULL) WITHOUT ROWID;
            """),
        Migration(2, "ALTER TABLE devices ADD COLUMN counts TEXT"),
        Migration(
            3,
            """
            ALTER TABLE devices ADD COLUMN battery REAL;
            ALTER TABLE devices ADD COLUMN signal TEXT;
            ALTER TABLE devices ADD COLUMN firmware TEXT;
            ALTER TABLE devices ADD COLUMN contact INTEGER;
            """),
    ]

    static func write(_ change: DeviceChange, _ database: Database) throws {
        let reject = change.lastRefused
        try database.run(
            """
            INSERT INTO devices (
                participant, device, first_seen, last_seen, messages, accepted, refused, reject_code, reject_reason, reject_time, clock_offset,
                counts, battery, signal, firmware, contact)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?13, ?14, ?15, ?16, ?17)
            ON CONFLICT (participant, device) DO UPDATE SET
                last_seen = max(last_seen, ?4), messages = messages + ?5, accepted = accepted + ?6, refused = refused + ?7,
                reject_code = coalesce(?8, reject_code), reject_reason = coalesce(?9, reject_reason),
                reject_time = coalesce(?10, reject_time), clock_offset = iif(?12, ?11, clock_offset),
                counts = coalesce(?13, counts), battery = coalesce(?14, battery), signal = coalesce(?15, signal),
                firmware = coalesce(?16, firmware), contact = coalesce(?17, contact)
            """,
            [
                .text(change.address.participant), .text(change.address.device), .integer(change.firstSeen.microseconds),
                .integer(change.lastSeen.microseconds), .integer(Int64(change.messages)), .integer(Int64(change.accepted)),
                .integer(Int64(change.refused)), reject.map { .text($0.code) } ?? .null, reject.map { .text($0.reason) } ?? .null,
                reject.map { .integer($0.time.microseconds) } ?? .null, (change.clock ?? nil).map { .integer($0) } ?? .null,
                .integer(change.clock == nil ? 0 : 1), try change.counts.map { .text(try $0.json) } ?? .null,
                change.state.battery.map { .real($0) } ?? .null, change.state.signal.map { .text($0) } ?? .null,
                change.state.firmware.map { .text($0) } ?? .null, change.state.contact.map { .integer($0.microseconds) } ?? .null,
            ])
    }

    static func bind(_ device: String, to participant: String, _ database: Database) throws {
        try database.run(
            "INSERT INTO bindings VALUES (?, ?) ON CONFLICT (device) DO UPDATE SET participant = excluded.participant",
            [.text(device), .text(participant)])
    }

    static func list(limit: Int, _ database: Database) throws -> [DeviceRegistry.Entry] {
        let row = try database.statement(
            """
            SELECT d.participant, d.device, first_seen, last_seen, messages, accepted, refused, reject_code, reject_reason, reject_time,
                clock_offset, quarantined, b.participant, battery, signal, firmware, contact
            FROM devices d LEFT JOIN bindings b ON b.device = d.device ORDER BY last_seen DESC LIMIT ?
            """)
        defer { row.reset() }
        try row.bind(Int64(limit), at: 1)
        var entries: [DeviceRegistry.Entry] = []
        while try row.step() { entries.append(entry(row)) }
        return entries
    }

    private static func entry(_ row: Statement) -> DeviceRegistry.Entry {
        func seconds(_ column: Int) -> Double? { row.isNull(column) ? nil : Double(row.integer(column)) / 1_000_000 }
        func text(_ column: Int) -> String? { row.isNull(column) ? nil : row.text(column) }
        return DeviceRegistry.Entry(
            participant: row.text(0), device: row.text(1), firstSeen: seconds(2) ?? 0, lastSeen: seconds(3) ?? 0,
            messages: Int(row.integer(4)), accepted: Int(row.integer(5)), refused: Int(row.integer(6)), lastRejectCode: text(7),
            lastReject: text(8), lastRejectTime: seconds(9), clockOffset: seconds(10), quarantined: row.integer(11) != 0,
            boundTo: text(12), battery: row.isNull(13) ? nil : row.real(13), signal: text(14), firmware: text(15),
            lastContact: seconds(16))
    }
}
