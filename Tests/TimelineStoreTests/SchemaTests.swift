import Testing
import TimelineStore
import VigilSchema

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
