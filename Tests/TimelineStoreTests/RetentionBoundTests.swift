import TestSupport
import Testing
import TimelineStore
import VigilSchema

@Suite("Retention at the ends of months, hours and steps", .timeLimit(.minutes(4)))
struct RetentionBoundTests {
    private static let day = 86_400.0
    /// 2017-04-10 15:36:22 UTC: 40 days before its midnight is the midnight of 1 March.
    private let now = start.advanced(bySeconds: 81 * 86_400)

    private func horizon(_ days: Int64) -> Timestamp {
        RollupLevel.day.start(of: now).advanced(bySeconds: -Double(days) * Self.day)
    }

    private func block(_ time: Timestamp, _ samples: Int) -> Observation {
        Observation(metric: "ecg", time: time, content: .samples(Array(repeating: 0.5, count: samples), period: 1), unit: "mV")
    }

    @Test("a block that reaches from one month into the next, where the horizon is, stays whole", arguments: StoreKind.allCases)
    func acrossTheMonth(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let before = horizon(40).advanced(bySeconds: -10)
            #expect(Double(horizon(40).microseconds) == 1_488_326_400e6, "the first of March")
            _ = try await store.append([batch([block(before, 11)]), batch([block(before, 10)], source: "strap")])
            try await store.setRetention(RetentionRule(.waveform, days: 40))
            #expect(try await store.applyRetention(now: now).rows == ["waveform": 1])
            #expect(try await store.count("waveform", where: "count = 11") == 1)
        }
    }

    @Test("months of blocks are dropped once none of their blocks can reach into what is kept")
    func droppedBlocks() async throws {
        try await StoreKind.postgres.withStore { store async throws in
            _ = try await store.append([batch([block(horizon(60), 10), block(horizon(1), 10)])])
            try await store.setRetention(RetentionRule(.waveform, days: 40))
            #expect(try await store.applyRetention(now: now).partitions == [])
            #expect(try await store.count("waveform") == 1)
            let later = now.advanced(bySeconds: Self.day)
            #expect(try await store.applyRetention(now: later).partitions == ["waveform_2017_02"])
            #expect(try await store.count("waveform") == 1)
        }
    }

    @Test("a metric that comes between the plan and the dropping of a month loses nothing by it")
    func newMetric() async throws {
        let configuration = PostgresConfiguration(connection: try PostgresServer.shared().makeDatabase())
        let (store, other) = (PostgresStore(configuration), PostgresStore(configuration))
        let old = Observation(metric: "heart-rate", time: horizon(60), content: .value(60), unit: "/min")
        _ = try await store.append([batch([old])])
        try await store.setRetention(RetentionRule(.raw, metric: "heart-rate", days: 30))
        // Another's append of a new metric has written to the month, and commits while the month is about to be dropped.
        let append = Interference(
            in: other,
            holding: """
                INSERT INTO metric (name, title, unit, longest) VALUES ('body-weight', 'Weight', 'kg', 0);
                INSERT INTO reading (time, participant, metric, source, seq, value, received)
                SELECT r.time, r.participant, m.id, r.source, 0, 70, r.received FROM reading r, metric m WHERE m.name = 'body-weight'
                """)
        async let held: Void = append.run(untilWaiting: 1)
        try await eventually("the append") { append.isHolding }
        _ = try? await store.applyRetention(now: now)
        try await held
        #expect(try await store.count("reading", where: "value = 70") == 1)
        // The next run knows the metric.
        #expect(try await store.applyRetention(now: now).partitions == [])
        #expect(try await store.count("reading", where: "value = 70") == 1)
        #expect(try await store.count("reading", where: "value = 60") == 0)
        for store in [store, other] { await store.close() }
    }

    @Test("a metric's first run waits for whoever counts its readings anew, and nothing is lost of them")
    func firstRun() async throws {
        let configuration = PostgresConfiguration(connection: try PostgresServer.shared().makeDatabase())
        let (store, other, third) = (PostgresStore(configuration), PostgresStore(configuration), PostgresStore(configuration))
        let old = Observation(metric: "heart-rate", time: horizon(60), content: .value(60), unit: "/min")
        _ = try await store.append([batch([old, heartRate(61)])])
        try await store.setRetention(RetentionRule(.raw, metric: "heart-rate", days: 30))
        // Between the look at what is kept and the count.
        let pause = Interference(in: third, holding: "LOCK TABLE reading IN ACCESS EXCLUSIVE MODE")
        async let held: Void = pause.run(
            untilWaiting: 2,
            then: """
                DO $$ BEGIN
                    IF EXISTS (SELECT FROM metric WHERE kept_from IS NOT NULL) THEN RAISE EXCEPTION 'the run has not waited'; END IF;
                END $$
                """)
        try await eventually("the lock") { pause.isHolding }
        async let counted: Void = other.recountRollups()
        try await eventually("the count") { (try? await store.waiting()) == 1 }
        async let report = store.applyRetention(now: now)
        try await held
        try await counted
        _ = try await report
        #expect(try await store.count("rollup_day", where: "sum = 60") == 1)
        #expect(try await store.count("reading", where: "value = 60") == 0)
        for store in [store, other, third] { await store.close() }
    }

    @Test("what is more than one step removes goes all the same, of every table", arguments: StoreKind.allCases)
    func steps(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let hour = RollupLevel.hour.start(of: horizon(20))
            // 2001 readings of an hour, and one of each of 2001 minutes of another metric.
            let dense = (0...2000).map {
                Observation(
                    metric: "heart-rate", time: hour.advanced(bySeconds: Double($0)), content: .value(60), unit: "/min")
            }
            let wide = (0...2000).map {
                Observation(
                    metric: "respiration-rate", time: horizon(20).advanced(bySeconds: Double($0) * 60), content: .value(15), unit: "/min")
            }
            // Of a third metric everything is kept, so that no month goes as a whole.
            let kept = Observation(metric: "pulse-rate", time: hour, content: .value(60), unit: "/min")
            _ = try await store.append([batch(dense + wide + [kept])])
            for metric in ["heart-rate", "respiration-rate"] {
                try await store.setRetention(RetentionRule(.raw, metric: metric, days: 5))
            }
            try await store.setRetention(RetentionRule(.rollup, metric: "respiration-rate", days: 5))
            let report = try await store.applyRetention(now: now)
            #expect(report.rows == ["reading": 4002, "rollup_minute": 2001, "rollup_hour": 34, "rollup_day": 2])
            #expect(try await store.count("reading") == 1)
            #expect(try await store.count("rollup_day", where: "count = 2001 AND sum = 120060") == 1)
            #expect(try await store.count("rollup_day") == 2)
        }
    }

    @Test("what was corrected goes with the readings, and with the blocks by their own rule", arguments: StoreKind.allCases)
    func corrections(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let rate = { (value: Double, days: Int64) in
                Observation(metric: "heart-rate", time: self.horizon(days), content: .value(value), unit: "/min")
            }
            for (value, length) in [(60.0, 10), (61, 11)] {
                let received = start.advanced(bySeconds: value)
                _ = try await store.append([
                    batch([rate(value, 20), rate(value, 3), block(horizon(20), length), block(horizon(3), length)], received: received)
                ])
            }
            #expect(try await store.count("correction") == 4)
            try await store.setRetention(RetentionRule(.raw, metric: "heart-rate", days: 5))
            #expect(try await store.applyRetention(now: now).rows == ["reading": 1, "correction": 1])
            #expect(try await store.count("correction", where: "samples IS NULL") == 1)
            try await store.setRetention(RetentionRule(.waveform, metric: "ecg", days: 5))
            #expect(try await store.applyRetention(now: now).rows == ["waveform": 1, "correction": 1])
            #expect(try await store.count("correction", where: "samples IS NOT NULL") == 1)
        }
    }

    @Test("a rule keeps two days at the least and 100,000 at the most", arguments: StoreKind.allCases)
    func limits(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            for days in [1, 100_001, -5] {
                let error = await #expect(throws: StoreError.self) { try await store.setRetention(RetentionRule(.raw, days: days)) }
                #expect(error?.code == .badRequest && error?.detail == "a rule keeps 2 to 100000 days")
            }
            for days in [2, 100_000] { try await store.setRetention(RetentionRule(.rollup, metric: "ecg", days: days)) }
            #expect(try await store.retentionRules() == [RetentionRule(.rollup, metric: "ecg", days: 100_000)])
            #expect(try await store.applyRetention(now: now) == RetentionReport())
        }
    }
}
