import TestSupport
import Testing
import TimelineStore
import VigilSchema

@Suite("Rollups, in both stores")
struct RollupTests {
    private func mix(_ generator: inout Generator, received: Int) -> ObservationBatch {
        let observations = (0..<60).map { _ in
            Bool.random(using: &generator) && Bool.random(using: &generator) && Bool.random(using: &generator)
                ? note("n\(Int.random(in: 0...3, using: &generator))", at: Double(Int.random(in: -20...20, using: &generator) * 997))
                : heartRate(
                    Double(Int.random(in: 400...1200, using: &generator)) / 10,
                    at: Double(Int.random(in: -40...40, using: &generator) * 613),
                    sequence: Int32.random(in: 0...1, using: &generator))
        }
        return batch(
            observations, participant: String(Int.random(in: 1...2, using: &generator)),
            source: ["watch", "strap"].randomElement(using: &generator) ?? "",
            received: start.advanced(bySeconds: Double(received + Int.random(in: -3...3, using: &generator))))
    }

    private func rollups(_ store: any SQLTimelineStore) async throws -> [[SQLRow]] {
        try await store.read { connection throws(StoreError) in
            var tables: [[SQLRow]] = []
            for table in ["rollup_minute", "rollup_hour", "rollup_day"] {
                tables.append(try connection.rows("SELECT * FROM \(table) ORDER BY participant, metric, source, time"))
            }
            return tables
        }
    }

    @Test("are kept or not as the database was told last, and made anew when they are switched on", arguments: StoreKind.allCases)
    func switched(_ kind: StoreKind) async throws {
        let folder = try TemporaryFolder("vigil-rollups")
        let connection = kind == .postgres ? try PostgresServer.shared().makeDatabase() : ""
        func counts(_ rollups: Bool?, _ value: Double, at seconds: Double) async throws -> Int {
            let options = StoreOptions(rollups: rollups)
            let store: any SQLTimelineStore =
                kind == .postgres
                ? PostgresStore(PostgresConfiguration(connection: connection), options: options)
                : SQLiteStore(path: folder.path("timeline.sqlite"), options: options)
            _ = try await store.append([batch([heartRate(value, at: seconds)])])
            let count = try await store.count("rollup_minute")
            await store.close()
            return count
        }
        #expect(try await counts(nil, 60, at: 0) == 1)
        #expect(try await counts(false, 61, at: 60) == 0)
        #expect(try await counts(nil, 62, at: 120) == 0)
        #expect(try await counts(true, 63, at: 180) == 4)
        #expect(try await counts(nil, 64, at: 240) == 5)
    }

    @Test(
        "equal a count of the readings after any mix of late, repeated and corrected data", arguments: StoreKind.allCases, [1, 2, 3])
    func recount(_ kind: StoreKind, _ seed: Int) async throws {
        try await kind.withStore { store async throws in
            var generator = Generator(state: UInt64(seed))
            var total = AppendCounts()
            for round in 0..<12 {
                let batches = (0..<3).map { _ in mix(&generator, received: round) }
                for counts in try await store.append(batches) {
                    #expect(counts.total == 60)
                    total.corrections += counts.corrections
                    total.duplicates += counts.duplicates
                }
                _ = try await store.append(batches)
            }
            #expect(total.corrections > 100 && total.duplicates > 10)
            let kept = try await rollups(store)
            try await store.recountRollups()
            let counted = try await rollups(store)
            for (kept, counted) in zip(kept, counted) {
                try #require(kept.count == counted.count)
                for (left, right) in zip(kept, counted) {
                    // The fifth is the sum, which rounds by the order of its parts.
                    for column in left.values.indices where column != 5 { #expect(left.values[column] == right.values[column]) }
                    #expect(abs(left.real(5) - right.real(5)) <= 1e-9 * abs(right.real(5)))
                }
            }
        }
    }
}
