import Glibc
import Synchronization
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@Suite("PostgreSQL's faults", .timeLimit(.minutes(4)))
struct PostgresFaultTests {
    @Test("stores everything exactly once although the server is killed between and during appends")
    func killed() async throws {
        let server = try PostgresServer()
        defer { server.remove() }
        let store = PostgresStore(PostgresConfiguration(connection: try server.makeDatabase()))
        try await store.open()
        let isBack = Atomic<Bool>(false)
        let writing = Task {
            var (failures, number) = (0, 0)
            // The connection breaks under the task, so that at least the append after the server is back fails at first.
            while number < 20 || !isBack.load(ordering: .acquiring) {
                failures += try await Self.append(number, to: store)
                number += 1
            }
            failures += try await Self.append(number, to: store)
            return (failures, number + 1)
        }
        try server.stopImmediately()
        try server.start()
        isBack.store(true, ordering: .releasing)
        let (failures, number) = try await writing.value
        #expect(failures > 0)
        #expect(try await store.count("reading") == number * 50)
        await store.close()
    }

    @Test("takes a server that is frozen for one that is gone, and stores everything once after it")
    func frozen() async throws {
        let server = try PostgresServer()
        defer { server.remove() }
        var limits = AnswerLimits()
        (limits.append, limits.query) = (.milliseconds(500), .milliseconds(500))
        let store = PostgresStore(PostgresConfiguration(connection: try server.makeDatabase()), limits: limits)
        _ = try await Self.append(0, to: store)
        _ = try await Self.count(in: store)
        server.signalAll(SIGSTOP)
        let writing = await #expect(throws: StoreError.self) { try await store.append([Self.readings(1)]) }
        let reading = await #expect(throws: StoreError.self) { _ = try await store.count("reading") }
        server.signalAll(SIGCONT)
        #expect(writing?.code == .connectionLost && reading?.isRetryable == true)
        _ = try await Self.append(1, to: store)
        #expect(try await Self.count(in: store) == 100)
        await store.close()
    }

    /// The rows, asked for until a slow machine gives them within the limit.
    private static func count(in store: PostgresStore) async throws -> Int {
        while true {
            do {
                return try await store.count("reading")
            } catch let error as StoreError where error.isRetryable {
                continue
            }
        }
    }

    private static func readings(_ number: Int) -> ObservationBatch {
        batch((0..<50).map { heartRate(60, at: Double(number * 50 + $0)) })
    }

    /// Appends batch `number` until it is stored, and says how many attempts failed.
    private static func append(_ number: Int, to store: PostgresStore) async throws -> Int {
        let batch = readings(number)
        var failures = 0
        while true {
            do throws(StoreError) {
                let counts = try await store.append([batch])
                #expect(counts[0].stored + counts[0].duplicates == 50)
                return failures
            } catch {
                try #require(error.isRetryable, "\(error)")
                failures += 1
            }
        }
    }

    @Test("says that it can be tried again when there is no server, and opens when there is one")
    func absent() async throws {
        let server = try PostgresServer()
        defer { server.remove() }
        let store = PostgresStore(PostgresConfiguration(connection: try server.makeDatabase()))
        try server.stopImmediately()
        let error = await #expect(throws: StoreError.self) { try await store.open() }
        #expect(error?.isRetryable == true)
        try server.start()
        #expect(try await store.append([batch([heartRate(60)])]) == [AppendCounts(stored: 1)])
        await store.close()
    }

    @Test("names a wrong database as a setting to mend, not one to wait for")
    func wrong() async throws {
        let connection = try PostgresServer.shared().makeDatabase() + "_missing"
        let error = await #expect(throws: StoreError.self) {
            try await PostgresStore(PostgresConfiguration(connection: connection)).open()
        }
        #expect(error?.code == .misconfigured)
    }

    @Test("isolates what the database refuses, with the reason, and stores the rest")
    func poison() async throws {
        let server = try PostgresServer.shared()
        let connection = try server.makeDatabase()
        let store = PostgresStore(PostgresConfiguration(connection: connection))
        try await store.open()
        try server.psql("ALTER TABLE reading ADD CONSTRAINT unlucky CHECK (value <> 113)", in: connection)
        let values = (0..<200).map { heartRate(50 + Double($0), at: Double($0)) }
        let batches: [ObservationBatch] = stride(from: 0, to: 200, by: 50).map { batch(Array(values[$0..<$0 + 50])) }
        let counts = try await store.append(batches + [batch([heartRate(113, at: 1000), heartRate(50)])])
        #expect(counts.map(\.stored) == [50, 49, 50, 50, 0])
        #expect(counts[1].rejections.map(\.observation) == [13])
        #expect(counts[1].rejections.first?.reason.contains("unlucky") == true)
        #expect(counts[4].rejected == 1 && counts[4].duplicates == 1)
        await store.close()
    }

    @Test("stores into a month whose partition somebody dropped")
    func dropped() async throws {
        let server = try PostgresServer.shared()
        let connection = try server.makeDatabase()
        let store = PostgresStore(PostgresConfiguration(connection: connection))
        _ = try await store.append([batch([heartRate(60)])])
        try server.psql("DROP TABLE reading_2017_01; DROP TABLE waveform_2017_01", in: connection)
        #expect(try await store.append([batch([heartRate(60)])]) == [AppendCounts(stored: 1)])
        await store.close()
    }

    @Test("lets two stores write the same readings at once, each reading stored by one of them")
    func concurrent() async throws {
        let connection = try PostgresServer.shared().makeDatabase()
        let stores = (0..<2).map { _ in PostgresStore(PostgresConfiguration(connection: connection)) }
        let batches = (0..<10).map { number in batch((0..<100).map { heartRate(60, at: Double(number * 100 + $0)) }) }
        let stored = try await withThrowingTaskGroup(of: Int.self) { group in
            for store in stores {
                group.addTask {
                    var stored = 0
                    for batch in batches { stored += try await store.append([batch])[0].stored }
                    return stored
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(stored == 1000)
        #expect(try await stores[0].count("reading") == 1000)
        for store in stores { await store.close() }
    }

    @Test("lets the reader's role read the views and write nothing")
    func roles() async throws {
        let server = try PostgresServer.shared()
        let connection = try server.makeDatabase()
        let store = PostgresStore(PostgresConfiguration(connection: connection))
        _ = try await store.append([batch([heartRate(60)])])
        await store.close()
        let counts = ["readings", "waveforms", "daily", "participants", "alerts"].map { "(SELECT count(*) FROM \($0))" }
        let sql = "SET ROLE vigil_reader; SELECT \(counts.joined(separator: " || ',' || "))"
        #expect(try server.psql(sql, in: connection) == "1,0,1,1,0")
        #expect(throws: PostgresServer.Failure.self) { try server.psql("SET ROLE vigil_reader; DELETE FROM reading", in: connection) }
        let comments = "SELECT count(*) FROM pg_views WHERE schemaname = 'public' AND obj_description(viewname::regclass) IS NULL"
        #expect(try server.psql(comments, in: connection) == "0")
    }

    @Test("a correction that races another connection's append in the same day loses none of its sums", arguments: [false, true])
    func racingRollups(newMinute: Bool) async throws {
        let configuration = PostgresConfiguration(connection: try PostgresServer.shared().makeDatabase())
        let (store, other) = (PostgresStore(configuration), PostgresStore(configuration))
        // In the second case the minute holds only a text, so that there are no sums yet that could be locked.
        let first = newMinute ? note("calm") : heartRate(60)
        _ = try await store.append([batch([first, heartRate(70, at: 600)])])
        let metric = newMinute ? "note" : "heart-rate"
        // As an append writes them: a reading of the same minute, then its sums, minutes first.
        let sums = RollupLevel.allCases.map { level in
            """
            INSERT INTO rollup_\(level.rawValue) AS r SELECT p, m, s, date_trunc('\(level.rawValue)', t, 'UTC'), 1, 80, 80, 80, 80, t, 0, 80, t, 0
                FROM racing
                ON CONFLICT (participant, metric, time, source) DO UPDATE SET count = r.count + 1, sum = r.sum + 80, max = 80, last = 80,
                    last_time = excluded.last_time, last_seq = 0;
            """
        }
        let append = """
            CREATE TEMP TABLE racing ON COMMIT DROP AS SELECT p.id AS p, m.id AS m, s.id AS s, timestamptz '2017-01-19 15:36:50+00' AS t
                FROM participant p, metric m, source s WHERE m.name = '\(metric)';
            INSERT INTO reading (time, participant, metric, source, seq, value, received) SELECT t, p, m, s, 0, 80, now() FROM racing;
            \(sums.joined(separator: "\n"))
            """
        let interference = Interference(in: other, holding: append)
        let racing = Task { try await interference.run(untilWaiting: 1) }
        try await eventually("the interference") { interference.isHolding }
        let correction =
            newMinute
            ? Observation(metric: "note", time: start, content: .value(1), unit: "1") : heartRate(61)
        let counts = try await store.append([batch([correction], received: start.advanced(bySeconds: 5))])
        try await racing.value
        #expect(counts == [AppendCounts(corrections: 1)])
        #expect(try await store.count("rollup_minute", where: "count = 2 AND sum = \(newMinute ? 81 : 141)") == 1)
        #expect(try await store.count("rollup_day", where: "sum = \(newMinute ? 81 : 211)") == 1)
        await store.close()
        await other.close()
    }

    @Test("undoing an import of somebody whose readings come meanwhile waits for none of them, which would wait for its rollups")
    func undoBesideAppend() async throws {
        let configuration = PostgresConfiguration(connection: try PostgresServer.shared().makeDatabase())
        let (store, other) = (PostgresStore(configuration), PostgresStore(configuration))
        _ = try await store.append([batch([heartRate(60)]), batch([heartRate(61, at: 9), note("x", at: 9)], origin: "import-1")])
        // As an append begins.
        let append = Interference(in: other, holding: "SELECT FROM participant FOR KEY SHARE")
        let hasEnded = Atomic<Bool>(false)
        let appending = Task {
            try await append.run(untilWaiting: 1)
            hasEnded.store(true, ordering: .releasing)
        }
        try await eventually("the append") { append.isHolding }
        #expect(try await store.undo(origin: "import-1").removed == 2)
        let hasWaited = hasEnded.load(ordering: .acquiring)
        #expect(!hasWaited)
        // Whoever has nothing else may be removed only between appends; so may whoever is erased, for whom the append ends.
        #expect(try await store.erase(participant: "12").rows["reading"] == 1)
        try await appending.value
        await store.close()
        await other.close()
    }

    @Test("many corrections at once are decided as one by one: late ones, repeated ones and several of one reading")
    func manyCorrections() async throws {
        try await StoreKind.postgres.withStore { store async throws in
            func rates(_ add: Double) -> [Observation] { (0..<3000).map { heartRate(60 + add, at: Double($0) * 60) } }
            let (early, late) = (start.advanced(bySeconds: -5), start.advanced(bySeconds: 5))
            _ = try await store.append([batch(rates(0))])
            #expect(
                try await store.append([batch(rates(1), received: late), batch(rates(2), received: late), batch(rates(3), received: early)])
                    == [AppendCounts(corrections: 3000), AppendCounts(corrections: 3000), AppendCounts(duplicates: 3000)])
            // What was replaced does not come back by being repeated.
            #expect(try await store.append([batch(rates(1), received: late)]) == [AppendCounts(duplicates: 3000)])
            #expect(try await store.count("reading", where: "value = 62") == 3000)
            #expect(try await store.count("correction") == 6000)
            let texts = (0..<3).map { note("n\($0)", at: Double($0)) }
            _ = try await store.append([batch(texts)])
            let others = (0..<3).map { note("other \($0)", at: Double($0)) }
            #expect(try await store.append([batch(others, session: "s", received: late)]) == [AppendCounts(corrections: 3)])
            #expect(try await store.count("readings", where: "text LIKE 'other%' AND value IS NULL AND session = 's'") == 3)
            #expect(try await store.count("rollup_minute", where: "count = 1 AND min = 62 AND last = 62") == 3000)
        }
    }
}
