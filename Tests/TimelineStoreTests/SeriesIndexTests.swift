import TestSupport
import Testing
import TimelineStore
import VigilSchema

@Suite("PostgreSQL and one participant's readings among many's", .timeLimit(.minutes(4)))
struct SeriesIndexTests {
    /// 40 participants' pulse each minute of ten days of January 2017, and of the first day of February.
    private static let people = 40
    private static let february = Timestamp(seconds: 1_485_907_200)

    private static let partitions = ["reading_before", "reading_after", "reading_2017_03", "reading_2017_02", "reading_2017_01"]

    private static func fill(_ server: PostgresServer, _ database: String) async throws -> PostgresStore {
        let store = PostgresStore(PostgresConfiguration(connection: database))
        for person in 0..<people {
            _ = try await store.append([batch([heartRate(60), heartRate(60, at: 30 * 86_400)], participant: "p\(person)")])
        }
        try server.psql(
            """
            INSERT INTO reading (time, participant, metric, source, seq, value, received)
            SELECT time, p.id, m.id, s.id, 0, 70, time FROM participant p, metric m, source s, (
                SELECT generate_series(timestamptz '2017-01-02 00:00+00', '2017-01-11 23:59+00', '1 minute') AS time
                UNION ALL SELECT generate_series(timestamptz '2017-02-01 00:00+00', '2017-02-01 23:59+00', '1 minute')) t;
            ANALYZE reading
            """, in: database)
        return store
    }

    /// The pages of tables and indexes of readings that the server has looked at.
    private static func pages(_ database: String) throws -> Int {
        let sql = """
            SELECT sum(heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit) FROM pg_statio_user_tables WHERE relname LIKE 'reading_%'
            """
        return Int(try PostgresServer.psql(sql, in: database)) ?? 0
    }

    /// What a participant's pulse of January costs, in pages, asked page by page by a connection of its own.
    private static func cost(_ database: String, metric: String?) async throws -> (readings: Int, pages: Int) {
        let before = try pages(database)
        let store = PostgresStore(PostgresConfiguration(connection: database))
        var (count, cursor): (Int, ReadingsCursor?) = (0, nil)
        repeat {
            let page = try await store.readings(
                participant: "p7", metric: metric, from: Timestamp(seconds: 1_480_000_000), to: february, limit: 5000, after: cursor)
            count += page.readings.count
            cursor = page.next
        } while cursor != nil
        await store.close()
        // A connection's counts are the server's once it has ended.
        try await eventually("the server's count") { (try? pages(database)).map { $0 > before } ?? false }
        return (count, try pages(database) - before)
    }

    @Test("reads one participant's metric of a month without reading everybody's")
    func oneSeries() async throws {
        let server = try PostgresServer()
        defer { server.remove() }
        let database = try server.makeDatabase()
        let store = try await Self.fill(server, database)
        let among = try await Self.cost(database, metric: "heart-rate")
        #expect(try await store.indexMonths() == Self.partitions)
        let alone = try await Self.cost(database, metric: "heart-rate")
        #expect(among.readings == 14_401 && alone.readings == 14_401)
        // Each of its rows lies on a page with others'; beyond these there is only its own part of the index.
        #expect(alone.pages < 14_401 + 200, "among all \(among.pages) pages")
        #expect(try await Self.cost(database, metric: nil).readings == 14_401)
        await store.close()
    }

    @Test("draws a curve of readings from the index alone, and replaces one that holds no values")
    func values() async throws {
        let server = try PostgresServer()
        defer { server.remove() }
        let database = try server.makeDatabase()
        let store = try await Self.fill(server, database)
        try server.psql("CREATE INDEX reading_2017_01_series ON reading_2017_01 (participant, metric, time, source, seq)", in: database)
        #expect(try await store.indexMonths() == Self.partitions)
        #expect(try server.psql("SELECT count(*) FROM pg_class WHERE relname LIKE 'reading_%_series'", in: database) == "0")
        try server.psql("VACUUM ANALYZE reading_2017_01", in: database)
        let before = try Self.pages(database)
        let reader = PostgresStore(PostgresConfiguration(connection: database))
        let range = SeriesRange(
            participant: "p7", metric: "heart-rate", from: Timestamp(seconds: 1_483_315_200), to: Timestamp(seconds: 1_483_401_600))
        #expect(try await reader.series(range, width: 1440).count == 1440)
        await reader.close()
        try await eventually("the server's count") { (try? Self.pages(database)).map { $0 > before } ?? false }
        #expect(try Self.pages(database) - before < 60)
        await store.close()
    }

    @Test("makes each month's index once, the newest first, and again where half of one was left")
    func months() async throws {
        let server = try PostgresServer()
        defer { server.remove() }
        let database = try server.makeDatabase()
        let store = try await Self.fill(server, database)
        #expect(try await store.indexMonths() == Self.partitions)
        #expect(try await store.indexMonths() == [])
        try server.psql("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'reading_2017_01_values'::regclass", in: database)
        _ = try await store.append([batch([heartRate(60, at: 90 * 86_400)])])
        #expect(try await store.indexMonths() == ["reading_2017_05", "reading_2017_04", "reading_2017_01"])
        let counts = try await store.append([batch([heartRate(60), heartRate(61, at: 1)], participant: "p7")])
        #expect(counts == [AppendCounts(stored: 1, duplicates: 1)])
        await store.close()
    }

    @Test("makes no index while another instance does")
    func another() async throws {
        let server = try PostgresServer()
        defer { server.remove() }
        let database = try server.makeDatabase()
        let store = try await Self.fill(server, database)
        let other = PostgresStore(PostgresConfiguration(connection: database))
        try await other.write { connection throws(StoreError) in _ = try connection.rows("SELECT pg_advisory_lock(7220013)::text") }
        #expect(try await store.indexMonths() == [])
        await other.close()
        try await eventually("the lock") { (try? await store.indexMonths()) == Self.partitions }
        await store.close()
    }
}
