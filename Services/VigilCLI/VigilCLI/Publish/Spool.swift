import SQLiteDatabase
import ServiceKit

/// What a device has to send and what has not been confirmed, in a SQLite file that survives the device's power cut.
struct Spool: Sendable {
    /// A message that waits.
    struct Entry: Sendable, Equatable {
        let id: Int64
        let topic: String
        let payload: [UInt8]
    }

    private let state: ServiceState

    init(path: String) throws {
        state = try ServiceState(
            path: path,
            migrations: [
                Migration(1, "CREATE TABLE message (id INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, payload BLOB NOT NULL)")
            ])
    }

    /// Keeps a message; it is on the disk when this returns.
    func add(topic: String, payload: [UInt8]) async throws -> Entry {
        let id = try await state.transaction { database in
            try database.run("INSERT INTO message (topic, payload) VALUES (?, ?)", [.text(topic), .blob(payload)])
            return database.lastInsertedRow
        }
        return Entry(id: id, topic: topic, payload: payload)
    }

    /// Forgets a message that was confirmed.
    func remove(_ entry: Entry) async throws {
        try await state.transaction { try $0.run("DELETE FROM message WHERE id = ?", [.integer(entry.id)]) }
    }

    /// The oldest that wait after one, at most so many.
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
