import Cryptography
import SQLiteDatabase
import TestSupport
import Testing
import VigilSchema

@testable import TimelineStore

@Suite("Schema, in both stores")
struct SchemaTests {
    @Test("refuses a schema that a newer program made, in words", arguments: StoreKind.allCases)
    func newer(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            try await store.write { connection throws(StoreError) in
                if kind == .postgres {
                    try connection.execute("UPDATE schema_version SET version = 1000")
                } else {
                    try connection.execute("PRAGMA user_version = 1000")
                }
            }
            await store.close()
            let error = await #expect(throws: StoreError.self) { try await store.open() }
            #expect(error?.code == .schemaTooNew && error?.isRetryable == false)
            #expect(error?.detail.contains("1000") == true)
        }
    }

    /// A database that was made by an earlier version keeps what that version did. Whoever changes the schema adds a step, and its digest here.
    @Test("steps that were released stand as they were: what changes is a step of its own")
    func released() {
        #expect(
            SQLiteSchema.migrations.map { String(SHA256.hex(of: $0).prefix(16)) }
                == [
                    "8ae8c89c9983becd", "8092a00bc01af96a", "b6559257ac850983", "4efa543297f7874e", "46438a5d4caf2b5b", "6406795e95ae3dee",
                    "e3b0c44298fc1c14", "0e79567295f40c83", "bd0becc496267a7e",
                ])
        #expect(
            PostgresSchema.migrations.map { String(SHA256.hex(of: $0).prefix(16)) }
                == [
                    "c5b5917a012761a2", "4b394356208b837d", "cabe1037b95e6c31", "1a071553bb6ec924", "f52dbfeb9826c5be", "51d52d4c9ff0bdb7",
                    "6406795e95ae3dee", "760fb79faad61829", "49b90f4ae9a0873c", "567e7448ce00d759",
                ])
    }

    @Test("opens again what it made, and finds everything there", arguments: StoreKind.allCases)
    func again(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            _ = try await store.append([batch([heartRate(60)])])
            await store.close()
            #expect(try await store.append([batch([heartRate(60)])]) == [AppendCounts(duplicates: 1)])
        }
    }

    /// A participant with two readings of an hour's distance and a profile, as the versions before 4 (SQLite) and 3 (PostgreSQL) wrote them.
    private static func oldRows(_ time: (Int64) -> String) -> String {
        let first: Int64 = 1_484_840_182_000_000
        func rollup(_ table: String, _ bucket: Int64, _ values: [(Double, Int64)]) -> String {
            let numbers = values.map(\.0)
            let (low, high) = (numbers.min() ?? 0, numbers.max() ?? 0)
            return """
                INSERT INTO rollup_\(table) (participant, metric, source, time, count, sum, min, max, first, first_time, first_seq,
                    last, last_time, last_seq)
                VALUES (1, 1, 1, \(time(bucket)), \(values.count), \(numbers.reduce(0, +)), \(low), \(high),
                    \(values[0].0), \(time(values[0].1)), 0, \(values[values.count - 1].0), \(time(values[values.count - 1].1)), 0);
                """
        }
        let (one, other) = ((60.0, first), (64.0, first + 3_600_000_000))
        let readings = [one, other].map { value, moment in
            "INSERT INTO reading (time, participant, metric, source, seq, value, received) VALUES (\(time(moment)), 1, 1, 1, 0, \(value), \(time(first)));"
        }
        let rollups = [one, other].flatMap { row in
            [
                rollup("minute", RollupLevel.minute.start(of: Timestamp(microseconds: row.1)).microseconds, [row]),
                rollup("hour", RollupLevel.hour.start(of: Timestamp(microseconds: row.1)).microseconds, [row]),
            ]
        }
        let names = """
            INSERT INTO participant (name) VALUES ('12'); INSERT INTO source (name) VALUES ('watch');
            INSERT INTO origin (name) VALUES ('import-1');
            INSERT INTO metric (name, title, unit, longest) VALUES ('heart-rate', 'Heart rate', '/min', 0);
            INSERT INTO setting (name, value) VALUES ('rollups', 'on');
            INSERT INTO profile (participant, time_zone) VALUES (1, 'Asia/Tokyo');
            """
        let day = RollupLevel.day.start(of: Timestamp(microseconds: first)).microseconds
        return ([names] + readings + rollups + [rollup("day", day, [one, other])]).joined(separator: "\n")
    }

    private func checkUpdated(_ store: any SQLTimelineStore) async throws {
        #expect(try await store.append([batch([heartRate(70, at: 1), heartRate(60)])]) == [AppendCounts(stored: 1, duplicates: 1)])
        #expect(try await store.count("rollup_day", where: "count = 3 AND sum = 194 AND last = 64") == 1)
        #expect(try await store.count("rollup_minute") == 2)
        // Half past midnight and half past one in Tokyo.
        #expect(
            try await store.count("daily", where: "CAST(day AS text) = '2017-01-20' AND count = 3 AND mean > 64.6 AND mean < 64.7") == 1)
        #expect(try await store.count("readings", where: "source = 'watch' AND period IS NULL") == 3)
        #expect(try await store.undo(origin: "import-1") == UndoReport())
    }

    @Test("brings a file of an earlier version up to date with its rollups, and adds to them", arguments: [2, 3])
    func earlierFile(_ version: Int) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("timeline.sqlite")
        do {
            let old = try Database(path: path)
            for step in 0..<version { try old.execute(SQLiteSchema.migrations[step]) }
            try old.execute(Self.oldRows { String($0) })
            try old.execute("PRAGMA user_version = \(version)")
        }
        let store = SQLiteStore(path: path)
        try await checkUpdated(store)
        await store.close()
    }

    @Test("brings a PostgreSQL database of the second version up to date with its rollups, and adds to them")
    func earlierDatabase() async throws {
        let configuration = PostgresConfiguration(connection: try PostgresServer.shared().makeDatabase())
        do {
            let old = try PostgresConnection(configuration, readOnly: false)
            for step in 0..<2 { try old.execute(PostgresSchema.migrations[step]) }
            try old.execute("CREATE TABLE schema_version (version integer NOT NULL); INSERT INTO schema_version VALUES (2)")
            try Partitions(connection: old).make([Month(1_484_840_182_000_000)])
            try old.execute(Self.oldRows { "timestamptz 'epoch' + interval '\($0 / 1_000_000) seconds'" })
        }
        let store = PostgresStore(configuration)
        try await checkUpdated(store)
        await store.close()
    }

    @Test("a step is taken where the administrator has a table of analysts in the schema, which its owner may not touch")
    func foreignTable() throws {
        let configuration = PostgresConfiguration(connection: try PostgresServer.shared().makeDatabase())
        let connection = try PostgresConnection(configuration, readOnly: false)
        for step in PostgresSchema.migrations.dropLast() { try connection.execute(step) }
        try connection.execute(
            """
            CREATE ROLE schema_test_owner NOLOGIN;
            GRANT ALL ON SCHEMA public TO schema_test_owner;
            DO $$ DECLARE owned text; BEGIN
                FOR owned IN SELECT oid::regclass::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v')
                LOOP EXECUTE format('ALTER TABLE %s OWNER TO schema_test_owner', owned); END LOOP;
            END $$;
            CREATE TABLE analyst_access (role text, participant text);
            SET ROLE schema_test_owner;
            """)
        try connection.execute(try #require(PostgresSchema.migrations.last))
    }

    @Test("opens what is at the last version without writing, as a role must that may only read")
    func readOnly() async throws {
        try await StoreKind.postgres.withStore { store async throws in
            _ = try await store.append([batch([heartRate(60)])])
            try await store.write { connection throws(StoreError) in
                try connection.execute(
                    """
                    DO $$ BEGIN
                        EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database());
                    END $$
                    """)
            }
            await store.close()
            try await store.open()
            await #expect(throws: StoreError.self) { try await store.append([batch([heartRate(61)])]) }
        }
    }
}
