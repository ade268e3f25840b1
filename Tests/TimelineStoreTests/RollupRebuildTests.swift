import TestSupport
import Testing
import VigilSchema

@testable import TimelineStore

@Suite("Rollups that are counted anew", .timeLimit(.minutes(4)))
struct RollupRebuildTests {
    private static let day = 86_400.0

    private func rollups(_ store: any SQLTimelineStore) async throws -> [[SQLRow]] {
        try await store.read { connection throws(StoreError) in
            var tables: [[SQLRow]] = []
            for level in RollupLevel.allCases {
                tables.append(try connection.rows("SELECT * FROM \(level.table) ORDER BY participant, metric, source, time"))
            }
            return tables
        }
    }

    @Test("take every reading in once, also where what is read at once ends among readings of one moment", arguments: StoreKind.allCases)
    func pages(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            // The first 50,000 end with the fifth of 16 that share a moment: participant 1, metric 2, source 1, sequence 5.
            let moment = 50_000.0
            let before = (5..<50_000).map { heartRate(60, at: Double($0)) }
            let together = ([5, 8] as [Int32]).flatMap { sequence in
                ["heart-rate", "pulse-rate"].map { metric in
                    Observation(
                        metric: metric, time: start.advanced(bySeconds: moment), sequence: sequence, content: .value(60), unit: "/min")
                }
            }
            let series = ["12", "13"].flatMap { participant in
                ["watch", "strap"].map { batch(together, participant: participant, source: $0) }
            }
            for counts in try await store.append([batch(before)] + series) { #expect(counts.rejected == 0) }
            #expect(try await store.count("reading") == 50_011)
            let kept = try await rollups(store)
            #expect(kept[2].reduce(0) { $0 + $1.integer(4) } == 50_011)
            try await store.recountRollups()
            #expect(try await rollups(store) == kept)
        }
    }

    @Test("are those of the days that an undone import touched, and no others, up to their midnights", arguments: StoreKind.allCases)
    func days(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let midnight = RollupLevel.day.start(of: start).seconds - start.seconds
            // At each midnight of eight days, a microsecond before it, and at noon.
            let readings = (0..<8).flatMap { day in
                [0, 43_200, Self.day - 1e-6].map { heartRate(60 + Double(day), at: midnight + Double(day) * Self.day + $0) }
            }
            _ = try await store.append([batch(readings), batch(readings, source: "strap"), batch(readings, participant: "13")])
            let before = try await rollups(store)
            func added(_ days: [Int]) -> [Observation] {
                days.flatMap { day in [1, 7200].map { heartRate(200, at: midnight + Double(day) * Self.day + $0) } }
            }
            _ = try await store.append([
                batch(added([0, 3, 4, 7]), origin: "import-1"), batch(added([3, 6]), source: "strap", origin: "import-1"),
                batch(added([1]), participant: "13", origin: "import-1"),
            ])
            #expect(try await rollups(store) != before)
            // What nobody touched is not counted anew: a sum that was put wrong on purpose stays wrong.
            let untouched = RollupLevel.day.start(of: start).advanced(bySeconds: 2 * Self.day)
            _ = try await store.write { connection throws(StoreError) in
                try connection.run("UPDATE rollup_day SET sum = 1 WHERE time = $1", [.time(untouched)])
            }
            #expect(try await store.undo(origin: "import-1").removed == 14)
            #expect(try await store.count("rollup_day", where: "sum = 1") == 3)
            try await store.recountRollups()
            #expect(try await rollups(store) == before)
        }
    }

    @Test("are counted while nobody else changes them, all of them and those of some days")
    func locks() async throws {
        try await StoreKind.postgres.withStore { store async throws in
            _ = try await store.append([batch([heartRate(60)])])
            for isWhole in [true, false] {
                let locked = try await store.write { connection throws(StoreError) in
                    let rebuild = RollupRebuild(connection: connection)
                    let identity = Identity(time: start.microseconds, participant: 1, metric: 1, source: 1, sequence: 0)
                    if isWhole { try rebuild.run() } else { try rebuild.run(days: [RollupKey(identity, level: .day)]) }
                    return try connection.rows(
                        """
                        SELECT relation::regclass::text FROM pg_locks WHERE pid = pg_backend_pid() AND mode = 'ShareRowExclusiveLock'
                        ORDER BY 1
                        """
                    ).map { $0.text(0) }
                }
                #expect(locked == ["rollup_day", "rollup_hour", "rollup_minute"])
                #expect(try await store.count("rollup_day", where: "count = 1 AND sum = 60") == 1)
            }
        }
    }

    @Test("a correction moves first, last, least and greatest of its minute, hour and day, and of no other", arguments: StoreKind.allCases)
    func corrected(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let midnight = RollupLevel.day.start(of: start).seconds - start.seconds
            let values: [(value: Double, at: Double)] = [(90, 0), (50, 59.9), (70, 60), (65, 3600), (60, Self.day - 0.1), (80, Self.day)]
            _ = try await store.append([batch(values.map { heartRate($0.value, at: midnight + $0.at) })])
            let later = start.advanced(bySeconds: 1)
            _ = try await store.append([
                batch([heartRate(61, at: midnight), heartRate(62, at: midnight + Self.day - 0.1)], received: later)
            ])
            let columns = "count, sum, min, max, first, last"
            let tables = try await store.read { connection throws(StoreError) in
                var tables: [[[Double]]] = []
                for level in RollupLevel.allCases {
                    let rows = try connection.rows("SELECT \(columns) FROM \(level.table) ORDER BY time")
                    tables.append(rows.map { row in row.values.indices.map { row.real($0) } })
                }
                return tables
            }
            #expect(
                tables == [
                    [
                        [2, 111, 50, 61, 61, 50], [1, 70, 70, 70, 70, 70], [1, 65, 65, 65, 65, 65], [1, 62, 62, 62, 62, 62],
                        [1, 80, 80, 80, 80, 80],
                    ],
                    [[3, 181, 50, 70, 61, 70], [1, 65, 65, 65, 65, 65], [1, 62, 62, 62, 62, 62], [1, 80, 80, 80, 80, 80]],
                    [[5, 308, 50, 70, 61, 62], [1, 80, 80, 80, 80, 80]],
                ])
        }
    }

    @Test(
        "readings of one time count by their sequence, whichever came first, also once they are counted anew", arguments: StoreKind.allCases
    )
    func sequences(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            for (value, sequence) in [(62.0, 2), (64, 4), (61, 1), (63, 3)] as [(Double, Int32)] {
                _ = try await store.append([batch([heartRate(value, sequence: sequence)])])
            }
            let condition = "count = 4 AND first = 61 AND first_seq = 1 AND last = 64 AND last_seq = 4 AND min = 61 AND max = 64"
            for level in RollupLevel.allCases { #expect(try await store.count(level.table, where: condition) == 1) }
            _ = try await store.append([batch([heartRate(66, sequence: 2)], received: start.advanced(bySeconds: 1))])
            let anew = "count = 4 AND first = 61 AND first_seq = 1 AND last = 64 AND last_seq = 4 AND min = 61 AND max = 66"
            for level in RollupLevel.allCases { #expect(try await store.count(level.table, where: anew) == 1) }
        }
    }

    @Test("a row of a rollup is read as it is written")
    func row() {
        let aggregate = Aggregate(
            SQLRow([
                .text("other"), .integer(9), .real(12.5), .real(-1), .real(7), .real(2), .integer(1000), .integer(3), .real(5),
                .integer(2000), .integer(4),
            ]), from: 1)
        #expect(aggregate.count == 9 && aggregate.sum == 12.5 && aggregate.min == -1 && aggregate.max == 7)
        #expect(aggregate.first == 2 && aggregate.firstTime.microseconds == 1000 && aggregate.firstSequence == 3)
        #expect(aggregate.last == 5 && aggregate.lastTime.microseconds == 2000 && aggregate.lastSequence == 4)
        #expect(Aggregate(SQLRow(aggregate.values), from: 0) == aggregate)
        #expect(Aggregate.columns == "count, sum, min, max, first, first_time, first_seq, last, last_time, last_seq")
    }

    @Test("packing tells the rows of the tables in which some were moved")
    func report() {
        var report = PackingReport()
        #expect(report.isComplete && report.rows.isEmpty)
        for count in [0, 1, 2] { report.add(count, to: "rollup_day") }
        report.add(0, to: "rollup_hour")
        #expect(report.rows == ["rollup_day": 3])
    }
}
