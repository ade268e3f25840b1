import TestSupport
import Testing
import TimelineStore
import VigilSchema

@Suite("PostgreSQL and the months that are over", .timeLimit(.minutes(10)))
struct RollupPackingTests {
    private static let people = 40
    private static let january = Timestamp(seconds: 1_483_228_800)
    /// Three days after January's end, when it is over, and three days after February's.
    private static let (inFebruary, inMarch) = (january.advanced(bySeconds: 34.5 * 86_400), january.advanced(bySeconds: 62.5 * 86_400))

    /// A reading of everybody each six hours of January, in the order of time, as it comes from people who live; and one of February.
    private static func live(_ store: PostgresStore) async throws {
        for number in (0..<124) + [130] {
            let groups = (0..<people).map { person in
                ObservationGroup(
                    participant: "p\(person)", source: "watch", received: start,
                    observations: [reading(Double(40 + person), at: Double(number) * 21_600)])
            }
            _ = try await store.append([ObservationBatch(id: "01JD", groups: groups)])
        }
    }

    private static func reading(_ value: Double, at seconds: Double) -> Observation {
        Observation(metric: "heart-rate", time: january.advanced(bySeconds: seconds), content: .value(value), unit: "/min")
    }

    /// Lets no place become free on older pages while the packing writes to new ones.
    private static func stopVacuum(_ database: String) throws {
        for level in ["minute", "hour", "day"] {
            try PostgresServer.psql("ALTER TABLE rollup_\(level) SET (autovacuum_enabled = false)", in: database)
        }
    }

    /// How many pages hold one participant's sums of January.
    private static func pages(_ level: String, of person: String, _ database: String) throws -> Int {
        let sql = """
            SELECT count(DISTINCT (r.ctid::text::point)[0]) FROM rollup_\(level) r JOIN participant p ON p.id = r.participant
            WHERE p.name = '\(person)' AND r.time < '2017-02-01 00:00+00'
            """
        return Int(try PostgresServer.psql(sql, in: database)) ?? 0
    }

    /// Everything that stands in the rollups, wherever it lies.
    private static func sums(_ database: String) throws -> String {
        let levels = ["minute", "hour", "day"].map { "SELECT '\($0)' || r::text AS row FROM rollup_\($0) r" }
        let all = levels.joined(separator: " UNION ALL ")
        return try PostgresServer.psql("SELECT count(*), md5(string_agg(row, ';' ORDER BY row)) FROM (\(all)) everything", in: database)
    }

    @Test("lays a participant's month on few pages, once it is over, and once only")
    func packs() async throws {
        let database = try PostgresServer.shared().makeDatabase()
        let store = PostgresStore(PostgresConfiguration(connection: database))
        _ = try await store.append([])
        try Self.stopVacuum(database)
        try await Self.live(store)
        let (before, hours) = (try Self.sums(database), try Self.pages("hour", of: "p7", database))
        let early = try await store.packMonths(now: Self.january.advanced(bySeconds: 33 * 86_400))
        #expect(early == PackingReport(), "the month is not over for long enough")
        let moved = try await store.packMonths(now: Self.inFebruary).rows
        #expect(moved == ["rollup_minute": 124 * Self.people, "rollup_hour": 124 * Self.people, "rollup_day": 31 * Self.people])
        #expect(try Self.sums(database) == before)
        #expect(hours > 30, "it lay on \(hours)")
        #expect(try Self.pages("hour", of: "p7", database) <= 4)
        #expect(try Self.pages("minute", of: "p7", database) <= 5)
        #expect(try Self.pages("day", of: "p7", database) <= 2)
        #expect(try await store.packMonths(now: Self.inFebruary) == PackingReport())
        #expect(try await store.packMonths(now: Self.inMarch).rows == moved.mapValues { _ in Self.people })
        // Counted anew, everything lies elsewhere.
        try await store.recountRollups()
        #expect(try await store.packMonths(now: Self.inFebruary).rows == moved)
        #expect(try Self.sums(database) == before)
        await store.close()
    }

    @Test("goes on with the participant at which it was stopped")
    func resumes() async throws {
        let database = try PostgresServer.shared().makeDatabase()
        let store = PostgresStore(PostgresConfiguration(connection: database))
        try await Self.live(store)
        let third = try PostgresServer.psql("SELECT id FROM participant WHERE name = 'p2'", in: database)
        try PostgresServer.psql("INSERT INTO setting VALUES ('packed hour', '2017_01 2017_02 \(third) 0')", in: database)
        let hours = try Self.pages("hour", of: "p2", database)
        let moved = try await store.packMonths(now: Self.inFebruary).rows
        #expect(moved["rollup_hour"] == 124 * (Self.people - 3))
        #expect(try Self.pages("hour", of: "p2", database) == hours)
        #expect(try Self.pages("hour", of: "p3", database) <= 4)
        await store.close()
    }

    @Test("moves what is dense in parts")
    func parts() async throws {
        let database = try PostgresServer.shared().makeDatabase()
        let store = PostgresStore(PostgresConfiguration(connection: database))
        let minutes = 11_500
        for metric in ["heart-rate", "respiration-rate"] {
            let readings = (0..<minutes).map { number in
                Observation(
                    metric: metric, time: Self.january.advanced(bySeconds: Double(number) * 60), content: .value(20), unit: "/min")
            }
            _ = try await store.append([batch(readings, participant: "p0"), batch(Array(readings.prefix(900)), participant: "p1")])
        }
        let before = try Self.sums(database)
        #expect(try await store.packMonths(now: Self.inFebruary).rows["rollup_minute"] == 2 * (minutes + 900))
        #expect(try Self.sums(database) == before)
        #expect(try PostgresServer.psql("SELECT value FROM setting WHERE name = 'packed minute'", in: database) == "2017_01 2017_02")
        await store.close()
    }

    @Test("loses and doubles nothing of what comes late for a month meanwhile")
    func beside() async throws {
        let database = try PostgresServer.shared().makeDatabase()
        let configuration = PostgresConfiguration(connection: database)
        let (store, packer) = (PostgresStore(configuration), PostgresStore(configuration))
        try await Self.live(store)
        let rounds = 16
        let moved = try await withThrowingTaskGroup(of: Int.self) { group in
            // Ends with the writer below, having packed from the beginning again and again.
            group.addTask {
                var moved = 0
                while try PostgresServer.psql("SELECT count(*) FROM setting WHERE name = 'test-written'", in: database) == "0" {
                    moved += try await packer.packMonths(now: Self.inFebruary).rows.values.reduce(0, +)
                    try PostgresServer.psql("DELETE FROM setting WHERE name LIKE 'packed %'", in: database)
                }
                return moved
            }
            for round in 0..<rounds {
                for person in 0..<Self.people {
                    // New, corrected and repeated ones: sums that grow, and sums that are counted anew.
                    let late = [Self.reading(90, at: Double(round * 60_000 + 7)), Self.reading(Double(50 + round), at: 21_600)]
                    _ = try await store.append([batch(late, participant: "p\(person)")])
                }
            }
            try PostgresServer.psql("INSERT INTO setting VALUES ('test-written', '')", in: database)
            return try await group.reduce(0, +)
        }
        #expect(moved > 2 * 155 * Self.people, "it was at work beside the writer")
        #expect(try PostgresServer.psql("SELECT sum(count) FROM rollup_day", in: database) == "\((125 + rounds) * Self.people)")
        let kept = try Self.sums(database)
        try await store.recountRollups()
        #expect(try Self.sums(database) == kept)
        await store.close()
        await packer.close()
    }

    @Test("lets whoever writes for long finish, and goes on in the next run")
    func waits() async throws {
        let database = try PostgresServer.shared().makeDatabase()
        let store = PostgresStore(PostgresConfiguration(connection: database))
        try await Self.live(store)
        let held = "FROM pg_locks WHERE mode = 'RowExclusiveLock' AND relation = 'rollup_day'::regclass"
        let writing = Task.detached {
            try? PostgresServer.psql("BEGIN; LOCK TABLE rollup_day IN ROW EXCLUSIVE MODE; SELECT pg_sleep(100)", in: database)
        }
        try await eventually("the lock") { (try? PostgresServer.psql("SELECT count(*) \(held)", in: database)) == "1" }
        #expect(try await store.packMonths(now: Self.inFebruary) == PackingReport(isComplete: false))
        try PostgresServer.psql("SELECT pg_terminate_backend(pid) \(held)", in: database)
        _ = await writing.value
        #expect(try await store.packMonths(now: Self.inFebruary).rows.keys.sorted() == ["rollup_day", "rollup_hour", "rollup_minute"])
        await store.close()
    }
}
