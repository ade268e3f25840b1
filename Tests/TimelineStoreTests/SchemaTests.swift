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

    @Test("opens again what it made, and finds everything there", arguments: StoreKind.allCases)
    func again(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            _ = try await store.append([batch([heartRate(60)])])
            await store.close()
            #expect(try await store.append([batch([heartRate(60)])]) == [AppendCounts(duplicates: 1)])
        }
    }

    @Test("brings a file of the second version up to date with its rollups, and adds to them")
    func secondVersion() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("timeline.sqlite")
        let store = SQLiteStore(path: path)
        _ = try await store.append([batch([heartRate(60), heartRate(64, at: 3600)])])
        await store.close()
        // As if the second version had written them.
        do {
            let old = try Database(path: path)
            try old.execute("DROP VIEW daily")
            for level in RollupLevel.allCases.map(\.table) {
                try old.execute("CREATE TABLE kept AS SELECT * FROM \(level); DROP TABLE \(level)")
                try old.execute(
                    try #require(
                        SQLiteSchema.migrations[0].firstMatch(of: try Regex("CREATE TABLE \(level) [^;]+;"))?.output[0].substring.map(
                            String.init)))
                try old.execute("INSERT INTO \(level) SELECT * FROM kept; DROP TABLE kept")
            }
            try old.execute(SQLiteSchema.daily)
            try old.execute("PRAGMA user_version = 2")
        }
        #expect(try await store.append([batch([heartRate(70, at: 1)])]) == [AppendCounts(stored: 1)])
        #expect(try await store.count("rollup_day", where: "count = 3 AND sum = 194 AND last = 64") == 1)
        #expect(try await store.count("rollup_minute") == 2)
        #expect(try await store.count("daily", where: "mean > 64.6 AND mean < 64.7") == 1)
        await store.close()
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
