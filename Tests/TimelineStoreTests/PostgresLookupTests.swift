import TestSupport
import Testing
import TimelineStore
import VigilSchema

@Suite("PostgreSQL and a month that it knows nothing about yet", .timeLimit(.minutes(4)))
struct PostgresLookupTests {
    private static let stored = 20_000, given = 200

    @Test(
        "looks at as many rows as it is given, however far apart in time: a clock that is wrong makes nobody wait",
        arguments: [false, true])
    func lookups(isCorrecting: Bool) async throws {
        let server = try PostgresServer()
        defer { server.remove() }
        let database = try server.makeDatabase()
        try await Self.fill(database)
        let before = try Self.rowsRead(database)
        let store = PostgresStore(PostgresConfiguration(connection: database))
        // The second time, when the month before is open too, the first and the last are two months apart.
        for round in 1...2 {
            let known = (0..<Self.given).map { heartRate(isCorrecting ? Double(70 + round) : 60, at: Double(Self.stored - 1 - $0)) }
            let new = heartRate(60, at: Double(Self.stored + round)), strange = heartRate(60, at: -60 * 86_400 - Double(round))
            let said = batch(known + [new, strange], received: start.advanced(bySeconds: Double(Self.stored + round)))
            let counts = try #require(try await store.append([said]).first)
            #expect(counts.stored == 2 && counts.duplicates + counts.corrections == Self.given && (counts.corrections > 0) == isCorrecting)
        }
        await store.close()
        try await eventually("the server's count") { (try? Self.rowsRead(database)).map { $0 > before } ?? false }
        let read = try Self.rowsRead(database) - before
        #expect(read < Self.stored / 2, "rows looked at for \(2 * Self.given + 4)")
        #expect(try Self.counted(database) == "\(Self.stored + 4)")
    }

    /// A month that was never analysed, as one is that has just begun.
    private static func fill(_ database: String) async throws {
        let store = PostgresStore(PostgresConfiguration(connection: database))
        _ = try await store.append([batch([heartRate(60)])])
        try PostgresServer.psql("ALTER TABLE reading_2017_01 SET (autovacuum_enabled = false)", in: database)
        for first in stride(from: 0, to: stored, by: 1000) {
            _ = try await store.append([batch((first..<first + 1000).map { heartRate(60, at: Double($0)) })])
        }
        await store.close()
        // A connection's counts are the server's once it has ended.
        let known = "SELECT n_live_tup FROM pg_stat_user_tables WHERE relname = 'reading_2017_01'"
        try await eventually("the filling's count") { (try? PostgresServer.psql(known, in: database)) == "\(stored)" }
    }

    private static func rowsRead(_ database: String) throws -> Int {
        let sql = "SELECT sum(coalesce(idx_tup_fetch, 0) + seq_tup_read) FROM pg_stat_user_tables WHERE relname LIKE 'reading_%'"
        return Int(try PostgresServer.psql(sql, in: database)) ?? 0
    }

    private static func counted(_ database: String) throws -> String {
        try PostgresServer.psql("SELECT count(*) FROM reading", in: database)
    }
}
