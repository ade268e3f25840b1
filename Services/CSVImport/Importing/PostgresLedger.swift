import ServiceKit
import Shares
import TimelineStore
import VigilSchema

/// A ledger in PostgreSQL, for whoever imports, on whatever machine.
///
/// A worker has an import for a while, by the database's clock, and says again and again that it goes on. One that has gone without a word is followed by the
/// next that asks, some seconds later. A time that lies further ahead than one that were given now, as after the clock was set back, is shortened.
struct PostgresLedger: Ledger {
    /// The time for which a worker has an import after it was last heard of.
    private static let lease = Duration.seconds(8)

    private let state: PostgresState
    /// The lease without which nothing is written; nil where whoever writes needs none.
    private let hold: LeaseHold?
    private let patience: Duration

    /// - Parameter patience: how long a database that is away is waited for.
    init(_ state: PostgresState, holding hold: LeaseHold? = nil, patience: Duration) {
        (self.state, self.hold, self.patience) = (state, hold, patience)
    }

    let renewal: Duration? = .seconds(2)

    /// All but the id and, with the content, the key, which stay.
    private static let assignments =
        LedgerEntry.columns.split(separator: ", ").enumerated().filter { !["id", "digest", "recipe"].contains($1) }
        .map { "\($1) = $\($0 + 1)" }.joined(separator: ", ")
    private static let sooner = "now() + $3 * interval '1 microsecond'"

    func all() async throws -> [LedgerEntry] { try await select("ORDER BY started, id", []) }

    func entry(id: String) async throws -> LedgerEntry? { try await select("WHERE id = $1", [.text(id)]).first }

    func latest(name: String) async throws -> LedgerEntry? {
        try await select("WHERE name = $1 ORDER BY started DESC LIMIT 1", [.text(name)]).first
    }

    func add(_ entry: LedgerEntry) async throws -> LedgerEntry {
        try await write { connection throws(StoreError) in
            try connection.run(LedgerEntry.insertion, entry.row)
            let known = try LedgerEntry.select("WHERE digest = $1 AND recipe = $2", [.text(entry.digest), .text(entry.recipe)], connection)
            return known.first ?? entry
        }
    }

    func take(_ id: String, by worker: String) async throws -> LedgerEntry? {
        let values: [SQLValue] = [.text(id), .text(worker), Self.length]
        let (entry, isKnown) = try await write { connection throws(StoreError) -> (LedgerEntry?, Bool) in
            try connection.run(
                "UPDATE imports SET works_until = \(Self.sooner) WHERE id = $1 AND worker <> $2 AND works_until > \(Self.sooner)", values)
            let taken = try connection.rows(
                """
                UPDATE imports SET worker = $2, works_until = \(Self.sooner)
                WHERE id = $1 AND (worker IS NULL OR worker = $2 OR works_until <= now()) RETURNING \(LedgerEntry.columns)
                """, values
            ).first.map { LedgerEntry($0) }
            if let taken { return (taken, true) }
            return (nil, try !connection.rows("SELECT 1 FROM imports WHERE id = $1", [.text(id)]).isEmpty)
        }
        guard isKnown else { throw ImportError.forgotten }
        return entry
    }

    func save(_ entry: LedgerEntry, by worker: String) async throws {
        let values = entry.row + [.text(worker), Self.length]
        let sql = """
            UPDATE imports SET \(Self.assignments), works_until = now() + $21 * interval '1 microsecond' WHERE id = $1 AND worker = $20
            """
        guard try await write({ connection throws(StoreError) in try connection.run(sql, values) }) > 0 else { throw ImportError.takenOver }
    }

    func renew(_ id: String, by worker: String) async throws {
        let values: [SQLValue] = [.text(id), .text(worker), Self.length]
        let sql = "UPDATE imports SET works_until = \(Self.sooner) WHERE id = $1 AND worker = $2"
        guard try await write({ connection throws(StoreError) in try connection.run(sql, values) }) > 0 else { throw ImportError.takenOver }
    }

    func release(_ id: String, by worker: String) async throws {
        let sql = "UPDATE imports SET worker = NULL, works_until = NULL WHERE id = $1 AND worker = $2"
        _ = try await write { connection throws(StoreError) in try connection.run(sql, [.text(id), .text(worker)]) }
    }

    func remove(_ ids: [String]) async throws {
        try await write { connection throws(StoreError) in
            for id in ids { try connection.run("DELETE FROM imports WHERE id = $1", [.text(id)]) }
        }
        try await mapping { try await state.wipe() }
    }

    /// Takes over imports that one machine's file has known. Of content that the ledger has already in that way, both stay: what either has added can be
    /// undone. What the ledger knows better is not overwritten.
    func adopt(_ entries: [LedgerEntry]) async throws {
        try await write { connection throws(StoreError) in
            for entry in entries { try Self.adopt(entry, connection) }
        }
    }

    private static func adopt(_ entry: LedgerEntry, _ connection: any SQLConnection) throws(StoreError) {
        guard try connection.run(LedgerEntry.insertion, entry.row) == 0 else { return }
        if try connection.rows("SELECT 1 FROM imports WHERE id = $1", [.text(entry.id)]).isEmpty {
            var other = entry
            other.recipe += "@\(entry.id)"
            try connection.run(LedgerEntry.insertion, other.row)
        } else {
            // It was taken over before, while a process went on with the file.
            try connection.run(
                """
                UPDATE imports SET \(assignments) WHERE id = $1 AND worker IS NULL AND (coalesce($9, 0) > coalesce(finished, 0)
                    OR (state = 'started' AND $7 = 'started' AND $10 > batches))
                """, entry.row)
        }
    }

    // MARK: Rows

    private static var length: SQLValue { .integer(lease.components.seconds * 1_000_000) }

    private func select(_ clause: String, _ values: [SQLValue]) async throws -> [LedgerEntry] {
        try await mapping {
            try await persistently(for: patience) {
                try await state.transaction { connection throws(StoreError) in try LedgerEntry.select(clause, values, connection) }
            }
        }
    }

    private func write<Result: Sendable>(
        _ body: @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws -> Result {
        try await mapping { try await persistently(for: patience) { try await state.transaction(holding: hold, body) } }
    }

    /// Has the database's errors told as the ledger's.
    private func mapping<Result>(_ body: () async throws -> Result) async throws -> Result {
        do { return try await body() } catch let error as StoreError { throw ImportError(.ledger, "the ledger's database: \(error)") }
    }
}
