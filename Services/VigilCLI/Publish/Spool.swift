import SQLiteDatabase
import ServiceKit
import VigilSchema

/// A device's messages that are not sent or confirmed yet, in a SQLite file that survives a power cut.
///
/// An actor: callable from any task. Waiting for the disk takes a while, so concurrent calls are written together.
actor Spool {
    /// A waiting message.
    struct Entry: Sendable, Equatable {
        let id: Int64
        let topic: String
        let payload: [UInt8]
    }

    private let state: ServiceState
    private var confirmed: [Int64] = []
    private var isForgetting = false
    private var times = SpooledTimes()

    init(path: String) throws {
        state = try ServiceState(
            path: path,
            migrations: [
                Migration(1, "CREATE TABLE message (id INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, payload BLOB NOT NULL)")
            ])
    }

    /// Stores messages; they are on the disk when this returns.
    /// - Parameter gettingTimes: Whether readings without a time get the present time.
    func add(topic: String, payloads: [[UInt8]], gettingTimes: Bool = false) async throws -> [Entry] {
        let payloads = gettingTimes ? payloads.map { times.timed($0, at: .now) } : payloads
        return try await state.transaction { database in
            try payloads.map { payload in
                try database.run("INSERT INTO message (topic, payload) VALUES (?, ?)", [.text(topic), .blob(payload)])
                return Entry(id: database.lastInsertedRow, topic: topic, payload: payload)
            }
        }
    }

    /// Deletes a confirmed message, at the latest when the current write ends. If the power fails before, the message
    /// is sent once more, which changes nothing.
    func remove(_ entry: Entry) async throws {
        confirmed.append(entry.id)
        guard !isForgetting else { return }
        isForgetting = true
        defer { isForgetting = false }
        while !confirmed.isEmpty {
            let ids = confirmed
            confirmed.removeAll(keepingCapacity: true)
            try await state.transaction { database in
                for id in ids { try database.run("DELETE FROM message WHERE id = ?", [.integer(id)]) }
            }
        }
    }

    /// The number of waiting messages.
    func count() async throws -> Int {
        try await state.read { database in
            let row = try database.statement("SELECT count(*) FROM message")
            defer { row.reset() }
            _ = try row.step()
            return Int(row.integer(0))
        }
    }

    /// The oldest waiting messages after one, at most a number of them.
    func waiting(after id: Int64 = 0, limit: Int = 256) async throws -> [Entry] {
        try await state.read { database in
            let row = try database.statement("SELECT id, topic, payload FROM message WHERE id > ? ORDER BY id LIMIT ?")
            defer { row.reset() }
            try row.bind([.integer(id), .integer(Int64(limit))])
            var entries: [Entry] = []
            while try row.step() { entries.append(Entry(id: row.integer(0), topic: row.text(1), payload: row.blob(2))) }
            return entries
        }
    }
}
