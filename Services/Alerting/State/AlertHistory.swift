import SQLiteDatabase
import Shares
import TimelineStore
import VigilSchema

/// Reads the event log for queries, in parallel with the core. Threading: callable from any task.
protocol AlertHistory: Sendable {
    /// The newest transitions of an alert, or of all, newest first, each as JSON.
    func newest(participant: String?, rule: String?, limit: Int) async throws -> [[UInt8]]
}

/// The event log in a process's SQLite file, over a connection of its own.
actor SQLiteHistory: AlertHistory {
    private let path: String
    private var database: Database?

    init(path: String) { self.path = path }

    func newest(participant: String?, rule: String?, limit: Int) throws -> [[UInt8]] {
        let database = try database ?? Database(path: path, readOnly: true)
        self.database = database
        return try Self.newest(in: database, participant: participant, rule: rule, limit: limit)
    }

    /// The same over an existing connection.
    static func newest(in database: Database, participant: String?, rule: String?, limit: Int) throws -> [[UInt8]] {
        var (filter, values): (String, [SQLiteValue]) = ("kind < 2", [])
        if let participant {
            filter += " AND participant = ?"
            values.append(.text(participant))
        }
        if let rule {
            filter += " AND rule = ?"
            values.append(.text(rule))
        }
        return try database.rows("SELECT content FROM events WHERE \(filter) ORDER BY id DESC LIMIT ?", values + [.integer(Int64(limit))]) {
            $0.blob(0)
        }
    }
}

/// The event logs of all shares.
struct PostgresHistory: AlertHistory {
    let state: PostgresState
    let share: Share

    /// Across all shares, each of which has its own numbers, transitions are ordered by time.
    func newest(participant: String?, rule: String?, limit: Int) async throws -> [[UInt8]] {
        guard participant == nil else { return try await newest(of: share.number, participant, rule, limit) }
        var all: [(decided: Double, content: [UInt8])] = []
        for other in 0..<share.count {
            for content in try await newest(of: other, nil, rule, limit) {
                all.append(((try? AlertMessage(decoding: content).decided) ?? 0, content))
            }
        }
        return all.sorted { $0.decided > $1.decided }.prefix(limit).map(\.content)
    }

    private func newest(of share: Int, _ participant: String?, _ rule: String?, _ limit: Int) async throws -> [[UInt8]] {
        try await state.transaction { connection throws(StoreError) in
            try connection.rowsPlannedForValues(
                """
                SELECT content FROM event WHERE kind < 2 AND share = $1 AND (CAST($2 AS text) IS NULL OR participant = $2)
                    AND (CAST($3 AS text) IS NULL OR rule = $3) ORDER BY id DESC LIMIT $4
                """, [.integer(Int64(share)), .optional(participant), .optional(rule), .integer(Int64(limit))]
            ).map { $0.blob(0) }
        }
    }
}
