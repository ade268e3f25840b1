import Foundation
import Testing
import TimelineStore
import VigilSchema

@Suite("Retention, in both stores")
struct RetentionTests {
    private static let day = 86_400.0

    /// Ten readings and a block of an old day, the same of a new one, and a note of the old one.
    private func fill(_ store: any SQLTimelineStore) async throws {
        for day in [0, 80] {
            let offset = Double(day) * Self.day
            let rates = (0..<10).map { heartRate(60 + Double($0), at: offset + Double($0)) }
            _ = try await store.append([batch(rates + [ecg([0.1, 0.2], at: offset)])])
        }
        _ = try await store.append([batch([note("slept badly")])])
    }

    private func rollups(_ store: any SQLTimelineStore) async throws -> [[SQLRow]] {
        try await store.read { connection throws(StoreError) in
            var rows: [[SQLRow]] = []
            for table in ["rollup_minute", "rollup_hour", "rollup_day"] {
                rows.append(try connection.rows("SELECT * FROM \(table) ORDER BY participant, metric, time, source"))
            }
            return rows
        }
    }

    private var now: Timestamp { start.advanced(bySeconds: 81 * Self.day) }

    @Test("removes old readings and keeps what they came to, exactly, whatever arrives late", arguments: StoreKind.allCases)
    func raw(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            try await fill(store)
            let before = try await rollups(store)
            try await store.setRetention(RetentionRule(.raw, metric: "heart-rate", days: 30))
            let report = try await store.applyRetention(now: now)
            #expect(report.rows == ["reading": 10] && report.partitions.isEmpty)
            // The other metrics have no rule.
            #expect(try await store.count("reading") == 11)
            #expect(try await store.count("waveform") == 2)
            // A repetition, a correction and a latecomer of the day that is gone; a correction of the day that is kept.
            let late = try await store.append([
                batch([heartRate(60), heartRate(99, at: 1), heartRate(70, at: 30)], received: now),
                batch([heartRate(60, at: 80 * Self.day)], received: now),
            ])
            #expect(late.map(\.rejected) == [3, 0] && late.map(\.duplicates) == [0, 1])
            #expect(try await rollups(store) == before)
            try await store.recountRollups()
            #expect(try await rollups(store) == before)
            #expect(try await store.applyRetention(now: now).rows.isEmpty)
        }
    }

    @Test("what is gone is not counted again by a machine whose clock is years behind", arguments: StoreKind.allCases)
    func clockBehind(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let year = 365 * Self.day
            let present = Timestamp(seconds: Date().timeIntervalSince1970)
            let rates = [1, 2].map { heartRate(60, at: present.seconds - start.seconds + $0 * year) }
            _ = try await store.append([batch(rates)])
            let before = try await rollups(store)
            try await store.setRetention(RetentionRule(.raw, days: 30))
            _ = try await store.applyRetention(now: present.advanced(bySeconds: 2 * year))
            #expect(try await store.count("reading") == 1)
            let again = try await store.append([batch(rates)])[0]
            #expect(again.rejected == 1 && again.duplicates == 1 && again.stored == 0)
            #expect(try await rollups(store) == before)
        }
    }

    @Test("undoing an import does not count minutes anew whose readings are gone", arguments: StoreKind.allCases)
    func undo(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            _ = try await store.append([batch([heartRate(60)]), batch([note("a")], origin: "import-1")])
            _ = try await store.append([batch([heartRate(80, at: 1)], origin: "import-1")])
            let before = try await rollups(store)
            try await store.setRetention(RetentionRule(.raw, metric: "heart-rate", days: 2))
            _ = try await store.applyRetention(now: now)
            #expect(try await store.undo(origin: "import-1").removed == 1)
            #expect(try await rollups(store) == before)
        }
    }

    @Test("removes waveforms and rollups by rules of their own, rollups never before readings", arguments: StoreKind.allCases)
    func kinds(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            try await fill(store)
            try await store.setRetention(RetentionRule(.waveform, days: 30))
            try await store.setRetention(RetentionRule(.rollup, days: 10))
            let report = try await store.applyRetention(now: now)
            #expect(try await store.count("waveform") == 1)
            #expect(report.rows["rollup_minute"] == nil)
            try await store.setRetention(RetentionRule(.raw, days: 40))
            let second = try await store.applyRetention(now: now)
            #expect(second.rows["rollup_minute"] == 1 && second.rows["rollup_day"] == 1)
            #expect(try await store.count("reading") == 10)
            #expect(try await store.count("rollup_minute") == 1)
        }
    }

    @Test("drops the months of which nothing is kept, and takes what comes afterwards")
    func partitions() async throws {
        try await StoreKind.postgres.withStore { store async throws in
            try await fill(store)
            try await store.setRetention(RetentionRule(.raw, days: 30))
            let report = try await store.applyRetention(now: now)
            #expect(report.partitions == ["reading_2017_01", "reading_2017_02"])
            #expect(try await store.count("reading") == 10)
            #expect(try await store.append([batch([heartRate(60)])])[0].rejected == 1)
            // A metric that is new has no past that was removed.
            let weight = Observation(metric: "body-weight", time: start, content: .value(70), unit: "kg")
            #expect(try await store.append([batch([weight])])[0] == AppendCounts(stored: 1))
        }
    }

    @Test("keeps one rule a kind and metric, and refuses one that keeps less than two days", arguments: StoreKind.allCases)
    func rules(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            try await store.setRetention(RetentionRule(.raw, days: 30))
            try await store.setRetention(RetentionRule(.raw, days: 40))
            try await store.setRetention(RetentionRule(.raw, metric: "ecg", days: 5))
            #expect(
                try await store.retentionRules() == [RetentionRule(.raw, days: 40), RetentionRule(.raw, metric: "ecg", days: 5)])
            #expect(try await store.removeRetention(.raw, metric: nil))
            #expect(try await store.removeRetention(.raw, metric: nil) == false)
            await #expect(throws: StoreError.self) { try await store.setRetention(RetentionRule(.raw, days: 1)) }
        }
    }

    /// Midnight of UTC, the given number of days before the day of `now`.
    private func horizon(_ days: Int64) -> Timestamp {
        RollupLevel.day.start(of: now).advanced(bySeconds: -Double(days) * Self.day)
    }

    private func rate(_ value: Double, _ time: Timestamp, _ microseconds: Int64 = 0) -> Observation {
        Observation(
            metric: "heart-rate", time: Timestamp(microseconds: time.microseconds + microseconds), content: .value(value), unit: "/min")
    }

    @Test(
        "what is measured at the midnight from which on readings are kept stays, and what was a microsecond before goes",
        arguments: StoreKind.allCases)
    func midnight(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            _ = try await store.append([batch([rate(60, horizon(30)), rate(61, horizon(30), -1), rate(62, horizon(30), 1)])])
            try await store.setRetention(RetentionRule(.raw, days: 30))
            #expect(try await store.applyRetention(now: now).rows == ["reading": 1])
            #expect(try await store.count("reading", where: "value = 61") == 0)
            let late = try await store.append([batch([rate(70, horizon(30), -1), rate(71, horizon(30), 2)], received: now)])[0]
            #expect(late.rejections.map(\.observation) == [0] && late.stored == 1)
            #expect(try await store.append([batch([rate(60, horizon(30))], received: now)]) == [AppendCounts(duplicates: 1)])
            let before = try await rollups(store)
            try await store.recountRollups()
            #expect(try await rollups(store) == before)
        }
    }

    @Test(
        "a latecomer between two metrics' horizons, or between two runs, is taken where its own metric is kept",
        arguments: StoreKind.allCases)
    func latecomer(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let weight = { (time: Timestamp) in Observation(metric: "body-weight", time: time, content: .value(70), unit: "kg") }
            _ = try await store.append([batch([rate(60, horizon(70)), weight(horizon(70)), weight(horizon(1))])])
            try await store.setRetention(RetentionRule(.raw, metric: "heart-rate", days: 30))
            try await store.setRetention(RetentionRule(.raw, days: 60))
            _ = try await store.applyRetention(now: now)
            let between = try await store.append([batch([rate(61, horizon(45)), weight(horizon(45))], received: now)])[0]
            #expect(between.rejections.map(\.observation) == [0] && between.stored == 1)
            // Ten days later, before the next run: nothing has been removed of these days yet.
            let soon = try await store.append([batch([rate(62, horizon(25)), rate(63, horizon(25), 1)], received: now)])[0]
            #expect(soon.stored == 2)
            let before = try await rollups(store)
            let report = try await store.applyRetention(now: now.advanced(bySeconds: 10 * Self.day))
            #expect(report.rows == ["reading": 2])
            #expect(try await rollups(store) == before)
        }
    }

    @Test(
        "rollups stay as long as the readings that they are summed from, also where their own rule is shorter",
        arguments: StoreKind.allCases)
    func rollupsLast(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            _ = try await store.append([batch([rate(60, horizon(20)), rate(61, horizon(50))])])
            try await store.setRetention(RetentionRule(.raw, days: 40))
            try await store.setRetention(RetentionRule(.rollup, days: 10))
            _ = try await store.applyRetention(now: now)
            for level in RollupLevel.allCases {
                #expect(try await store.count("rollup_\(level.rawValue)", where: "min = 60") == 1)
                #expect(try await store.count("rollup_\(level.rawValue)", where: "min = 61") == 0)
            }
        }
    }

    @Test("a block that reaches across the horizon stays whole, and one that ends on it goes", arguments: StoreKind.allCases)
    func acrossTheHorizon(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let block = { (time: Timestamp, samples: Int) in
                Observation(metric: "ecg", time: time, content: .samples(Array(repeating: 0.5, count: samples), period: 1), unit: "mV")
            }
            let before = horizon(30).advanced(bySeconds: -10)
            _ = try await store.append([batch([block(before, 11)]), batch([block(before, 10)], source: "strap")])
            try await store.setRetention(RetentionRule(.waveform, days: 30))
            #expect(try await store.applyRetention(now: now).rows == ["waveform": 1])
            #expect(try await store.count("waveform", where: "count = 11") == 1)
        }
    }
}
