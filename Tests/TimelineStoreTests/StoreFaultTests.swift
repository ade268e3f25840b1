import TestSupport
import Testing
import TimelineStore
import VigilSchema

@Suite("What goes wrong in the middle of an append", .timeLimit(.minutes(4)))
struct StoreFaultTests {
    /// 3000 readings, a second apart.
    private static let many = [batch((1...3000).map { heartRate(70, at: Double($0)) })]

    /// The stored reading again, 1500 s later: one of `many`, in the middle of its COPY.
    private static let middle = """
        INSERT INTO reading (time, participant, metric, source, seq, value, received)
        SELECT time + interval '1500 s', participant, metric, source, seq, value, received FROM reading
        """

    /// A database with one reading, the store that wrote it, and two others.
    private func withStores(
        settings: [String] = [], _ body: (_ store: PostgresStore, _ others: [PostgresStore]) async throws -> Void
    ) async throws {
        let server = try PostgresServer.shared()
        let connection = try server.makeDatabase()
        let name = try server.psql("SELECT current_database()", in: connection)
        for setting in settings { try server.psql("ALTER DATABASE \(name) SET \(setting)", in: connection) }
        let stores = (0..<3).map { _ in PostgresStore(PostgresConfiguration(connection: connection)) }
        _ = try await stores[0].append([batch([heartRate(60)])])
        try await body(stores[0], Array(stores[1...]))
        for store in stores { await store.close() }
    }

    private func expectAll(in store: PostgresStore) async throws {
        #expect(try await store.count("reading") == 3001)
        #expect(try await store.count("rollup_day", where: "count = 3001") == 1)
    }

    @Test("repeats the transaction that PostgreSQL ends to break a deadlock")
    func deadlock() async throws {
        try await withStores(settings: ["deadlock_timeout = '10ms'"]) { store, others in
            // One transaction has the day, and waits for the minute, which the append has while it waits for the hour, which another
            // has until then. The append, let go on, waits for the day: it is the last to wait, and the only one that looks soon.
            let day = Interference(in: others[0], holding: "SET LOCAL deadlock_timeout = '60s'; UPDATE rollup_day SET sum = sum")
            let hour = Interference(in: others[1], holding: "UPDATE rollup_hour SET sum = sum")
            async let dayHeld: Void = day.run(untilWaiting: 1, then: "UPDATE rollup_minute SET sum = sum")
            async let hourHeld: Void = hour.run(untilWaiting: 2)
            try await eventually("both locks") { day.isHolding && hour.isHolding }
            #expect(try await store.append(Self.many) == [AppendCounts(stored: 3000)])
            // Both got all that they waited for: it was the append that gave way.
            _ = try await (dayHeld, hourHeld)
            try await expectAll(in: store)
        }
    }

    @Test("repeats the transaction on a serialization failure", arguments: ["repeatable read", "serializable"])
    func serialization(_ isolation: String) async throws {
        try await withStores(settings: ["default_transaction_isolation = '\(isolation)'"]) { store, others in
            // The append has taken its snapshot when it waits; what it waits for then changes under it.
            let other = Interference(in: others[0], holding: "UPDATE rollup_day SET sum = sum")
            async let held: Void = other.run(untilWaiting: 1)
            try await eventually("the lock") { other.isHolding }
            #expect(try await store.append(Self.many) == [AppendCounts(stored: 3000)])
            try await held
            try await expectAll(in: store)
        }
    }

    @Test("loses nothing and stores nothing twice when the connection is lost in the middle of COPY")
    func lostInCopy() async throws {
        try await withStores { store, others in
            let other = Interference(in: others[0], holding: Self.middle)
            // The COPY waits at a reading that another transaction has stored, and will take back.
            let kill = """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%COPY reading%';
                DELETE FROM reading WHERE value = 60 AND time > (SELECT min(time) FROM reading)
                """
            async let held: Void = other.run(untilWaiting: 1, then: kill)
            try await eventually("the reading") { other.isHolding }
            let error = await #expect(throws: StoreError.self) { try await store.append(Self.many) }
            #expect(error?.code == .connectionLost && error?.isRetryable == true && error?.detail.isEmpty == false)
            try await held
            #expect(try await store.count("reading") == 1)
            #expect(try await store.append(Self.many) == [AppendCounts(stored: 3000)])
            try await expectAll(in: store)
        }
    }

    @Test("erases also what an append that was under way has stored")
    func erasure() async throws {
        try await withStores { store, others in
            let other = Interference(in: others[0], holding: Self.middle)
            async let held: Void = other.run(
                untilWaiting: 2, then: "DELETE FROM reading WHERE time > (SELECT min(time) FROM reading)")
            try await eventually("the reading") { other.isHolding }
            async let counts = store.append(Self.many)
            try await eventually("the append") { try await others[1].waiting() == 1 }
            let report = try await others[1].erase(participant: "12")
            try await held
            #expect(try await counts == [AppendCounts(stored: 3000)])
            #expect(report.rows["reading"] == 3001)
            #expect(try await store.count("reading") == 0)
            #expect(try await store.count("rollup_minute") == 0)
        }
    }

    @Test("keeps what a full SQLite file holds, says that it is full, and goes on once there is room")
    func full() async throws {
        let folder = try TemporaryFolder("vigil-full")
        let store = SQLiteStore(path: folder.path("timeline.sqlite"))
        _ = try await store.append([batch([heartRate(60)])])
        try await room(1, in: store)
        let batches = [batch((1...20_000).map { heartRate(70, at: Double($0)) })]
        let error = await #expect(throws: StoreError.self) { try await store.append(batches) }
        #expect(error?.code == .diskFull && error?.isRetryable == true && error?.detail.contains("full") == true)
        #expect(try await store.count("reading") == 1)
        try await room(1_000_000, in: store)
        #expect(try await store.append(batches) == [AppendCounts(stored: 20_000)])
        #expect(try await store.count("rollup_day", where: "count = 0") == 0)
        #expect(try await store.count("reading") == 20_001)
        await store.close()
    }

    /// Lets the file have so many pages at most; never fewer than it has.
    private func room(_ pages: Int, in store: SQLiteStore) async throws {
        _ = try await store.write { connection throws(StoreError) in try connection.rows("PRAGMA max_page_count = \(pages)") }
    }
}
