import TestSupport
import Testing
import TimelineStore
import VigilSchema

@Suite("PostgreSQL's numbers for names")
struct NameNumberTests {
    private func numbers(_ store: any SQLTimelineStore) async throws -> [Int64] {
        try await store.read { connection throws(StoreError) in
            var numbers: [Int64] = []
            for table in ["participant", "source", "session", "origin", "metric"] {
                numbers.append(try connection.rows("SELECT last_value FROM \(table)_id_seq")[0].integer(0))
            }
            return numbers
        }
    }

    @Test("are taken for new names alone, however often known ones come")
    func kept() async throws {
        let configuration = PostgresConfiguration(connection: try PostgresServer.shared().makeDatabase())
        var store = PostgresStore(configuration)
        func observe(_ number: Int) -> ObservationBatch {
            batch([heartRate(60, at: Double(number))], session: "walk", origin: "import-1")
        }
        _ = try await store.append([observe(0)])
        let before = try await numbers(store)
        let entry = TimelineEntry(id: "a", kind: .note, time: start, description: "slept badly")
        var value = ReplacedValue(
            number: 1, metric: "heart-rate", unit: "/min", source: "watch", session: "walk", time: start, sequence: 0, received: start,
            replaced: start)
        value.value = 59
        for number in 1...20 {
            for _ in 0..<5 { try await store.post(entry, participant: "12", received: start, origin: "import-1") }
            try await store.setProfile(ParticipantProfile(first: "Ada"), participant: "12")
            _ = try await store.restore([value], participant: "12", origin: "import-1")
            try await store.setRetention(RetentionRule(.raw, days: 2 + number))
            _ = try await store.removeRetention(.raw, metric: nil)
            _ = try await store.applyRetention(now: start)
            _ = try await store.append([observe(number)])
            _ = try await store.appendHistory([observe(number + 100)])
        }
        #expect(try await numbers(store) == before)
        // A connection that knows no names yet takes none either.
        await store.close()
        store = PostgresStore(configuration)
        _ = try await store.append([observe(500)])
        #expect(try await numbers(store) == before)
        await store.close()
    }
}
