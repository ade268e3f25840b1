import SQLiteDatabase
import ServiceKit
import VigilSchema

/// The messages that a device has to send or that are not confirmed yet, in a SQLite file that survives the device's power cut.
///
/// An actor: from any task. Waiting for the disk takes a while, so what comes together is written together.
actor Spool {
    /// A message that waits.
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

    /// Keeps messages; they are on the disk when this returns.
    /// - Parameter gettingTimes: Whether readings that bring no time get that of now.
    func add(topic: String, payloads: [[UInt8]], gettingTimes: Bool = false) async throws -> [Entry] {
        let payloads = gettingTimes ? payloads.map { times.timed($0, at: .now) } : payloads
        return try await state.transaction { database in
            try payloads.map { payload in
                try database.run("INSERT INTO message (topic, payload) VALUES (?, ?)", [.text(topic), .blob(payload)])
                return Entry(id: database.lastInsertedRow, topic: topic, payload: payload)
            }
        }
    }

    /// Forgets a message that was confirmed: when this returns, or when the call does that is writing already. One that is not forgotten
    /// when the power goes is sent once more, which changes nothing.
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

    /// The number of messages that wait.
    func count() async throws -> Int {
        try await state.read { database in
            let row = try database.statement("SELECT count(*) FROM message")
            defer { row.reset() }
            _ = try row.step()
            return Int(row.integer(0))
        }
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
