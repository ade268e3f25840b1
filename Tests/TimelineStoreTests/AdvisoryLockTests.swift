import TestSupport
import Testing
import VigilSchema

@testable import TimelineStore

@Suite("Locks that instances agree on", .timeLimit(.minutes(1)))
struct AdvisoryLockTests {
    @Test("whoever makes indexes keeps no service from bringing its state up to date in the same database")
    func indexesAndState() async throws {
        let configuration = PostgresConfiguration(connection: try PostgresServer.shared().makeDatabase())
        let store = PostgresStore(configuration)
        // The connection keeps it after the transaction, as that of whoever makes indexes does.
        try await store.write { connection throws(StoreError) in _ = try connection.rows("SELECT pg_advisory_lock(7220013)::text") }
        let schema = PostgresState.Schema(name: "vigil_lock_test", migrations: ["CREATE TABLE thing (id integer)"])
        let state = PostgresState(configuration, schema, limit: .seconds(30))
        let things = try await state.transaction { connection throws(StoreError) in
            try connection.rows("SELECT count(*) FROM thing")[0].integer(0)
        }
        #expect(things == 0)
        await state.close()
        await store.close()
    }
}
