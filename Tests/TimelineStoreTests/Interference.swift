import Glibc
import Synchronization
import TimelineStore

/// A transaction of another connection that stands in an append's way.
final class Interference: Sendable {
    private let store: PostgresStore
    private let sql: String
    private let holds = Atomic<Bool>(false)

    /// - Parameter sql: takes the locks.
    init(in store: PostgresStore, holding sql: String) {
        self.store = store
        self.sql = sql
    }

    /// A Boolean value that indicates whether it has its locks.
    var isHolding: Bool { holds.load(ordering: .acquiring) }

    /// Keeps the locks until so many of the database's connections wait for any, then runs the rest, and commits.
    func run(untilWaiting count: Int, then rest: String? = nil) async throws {
        try await store.write { [self] connection throws(StoreError) in
            try connection.execute(sql)
            holds.store(true, ordering: .releasing)
            try Self.wait(for: count, on: connection)
            if let rest { try connection.execute(rest) }
        }
    }

    /// Asks the server again and again: the thread is the connection's own.
    private static func wait(for count: Int, on connection: any SQLConnection) throws(StoreError) {
        let deadline = ContinuousClock.now + .seconds(200)
        while ContinuousClock.now < deadline {
            if try waitingConnections(connection) >= count { return }
            usleep(2_000)
        }
        throw StoreError(.failed, operation: "test", detail: "nobody waits for a lock")
    }
}

extension SQLTimelineStore {
    /// Returns the number of the PostgreSQL database's connections that wait for a lock.
    func waiting() async throws(StoreError) -> Int {
        try await read { connection throws(StoreError) in try waitingConnections(connection) }
    }
}

private func waitingConnections(_ connection: any SQLConnection) throws(StoreError) -> Int {
    // Within a transaction the server shows its activity as it was at first.
    try connection.execute("SELECT pg_stat_clear_snapshot()")
    let rows = try connection.rows(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
    return Int(rows[0].integer(0))
}
