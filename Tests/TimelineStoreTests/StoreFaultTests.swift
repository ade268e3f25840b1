import TestSupport
import Testing
import TimelineStore

@Suite("What goes wrong in the middle of an append", .timeLimit(.minutes(4)))
struct StoreFaultTests {
    /// Something that happens to PostgreSQL at the row with the value 113, the first time that it is written.
    struct Fault: CustomTestStringConvertible {
        let testDescription: String
        let statement: String
        /// What the caller is told; nil where the store repeats the transaction by itself.
        let code: StoreError.Code?

        static let all = [
            raising("40P01", "a deadlock", nil), raising("40001", "a serialization failure", nil),
            raising("53100", "a full disk", .diskFull),
            Fault(
                testDescription: "a connection lost in the middle of COPY", statement: "PERFORM pg_terminate_backend(pg_backend_pid())",
                code: .connectionLost),
        ]

        private static func raising(_ state: String, _ what: String, _ code: StoreError.Code?) -> Fault {
            Fault(testDescription: what, statement: "RAISE EXCEPTION '\(what)' USING ERRCODE = '\(state)'", code: code)
        }
    }

    @Test("loses nothing and stores nothing twice", arguments: Fault.all)
    func postgres(_ fault: Fault) async throws {
        let server = try PostgresServer.shared()
        let connection = try server.makeDatabase()
        let store = PostgresStore(PostgresConfiguration(connection: connection))
        _ = try await store.append([batch([heartRate(60)])])
        try server.psql(
            """
            CREATE SEQUENCE faults;
            CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF NEW.value = 113 AND nextval('faults') = 1 THEN \(fault.statement); END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER fault BEFORE INSERT ON reading FOR EACH ROW EXECUTE FUNCTION fault();
            """, in: connection)
        let batches = [batch((0..<3000).map { heartRate($0 == 1500 ? 113 : 70, at: Double($0 + 1)) })]
        if let code = fault.code {
            let error = await #expect(throws: StoreError.self) { try await store.append(batches) }
            #expect(error?.code == code && error?.isRetryable == true && error?.detail.isEmpty == false)
            #expect(try await store.count("reading") == 1)
        }
        #expect(try await store.append(batches) == [AppendCounts(stored: 3000)])
        #expect(try await store.count("reading") == 3001)
        #expect(try await store.count("rollup_day", where: "count = 3001") == 1)
        await store.close()
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
