import Testing
import TimelineStore
import VigilSchema

@Suite("What a question takes of memory, in both stores", .timeLimit(.minutes(4)))
struct BoundedQueryTests {
    private static let hour: Int64 = 3_600_000_000
    private static let minute: Int64 = 60_000_000
    /// 2017-01-19 15:00 UTC.
    private static let first = Timestamp(microseconds: 1_484_838_000_000_000)

    private func range(_ from: Timestamp, _ to: Timestamp) -> SeriesRange { range("heart-rate", from, to) }

    private func range(_ metric: String, _ from: Timestamp, _ to: Timestamp) -> SeriesRange {
        SeriesRange(participant: "12", metric: metric, from: from, to: to)
    }

    private func with(
        _ kind: StoreKind, options: StoreOptions = StoreOptions(), _ body: (CountingStore) async throws -> Void
    ) async throws {
        try await kind.withStore(options: options) { store async throws in try await body(CountingStore(store)) }
    }

    /// A reading of 60 at each of many moments of the first source, as the rollups have it, made without its readings.
    private func fill(_ store: CountingStore, _ level: RollupLevel, _ count: Int, every step: Int64, _ kind: StoreKind) async throws {
        let first = Self.first.microseconds
        let (numbers, moment) =
            kind == .sqlite
            ? (
                "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) SELECT i FROM n",
                "\(first) + i * \(step)"
            )
            : ("SELECT generate_series(1, \(count)::bigint) AS i", "to_timestamp((\(first) + i * \(step)) / 1e6)")
        let sql = """
            INSERT INTO rollup_\(level) (participant, metric, source, time, count, sum, min, max, first, first_time, first_seq, last, last_time, last_seq)
            SELECT r.participant, r.metric, r.source, \(moment), 1, 60, 60, 60, 60, \(moment), 0, 60, \(moment), 0
            FROM (SELECT participant, metric, source FROM rollup_\(level) LIMIT 1) r, (\(numbers)) n
            """
        try await store.write { connection throws(StoreError) in try connection.execute(sql) }
    }

    @Test("a window with too many samples is refused before a block is read", arguments: StoreKind.allCases)
    func waveform(_ kind: StoreKind) async throws {
        try await with(kind) { store in
            _ = try await store.append([batch((0..<50).map { ecg((0..<1000).map { Double($0 * 7919 % 1013) }, at: Double($0) * 10) })])
            _ = store.counts()
            let range = range("ecg", start, start.advanced(bySeconds: 1000))
            await #expect(throws: StoreError.self) { try await store.waveform(range, limit: 49_999) }
            #expect(store.counts().bytes < 100)
            #expect(try await store.waveform(range, limit: 50_000).count == 50)
            #expect(store.counts().bytes > 1000)
            let none = SeriesRange(
                participant: "12", metric: "ecg", from: start.advanced(bySeconds: 5000), to: start.advanced(bySeconds: 6000))
            #expect(try await store.waveform(none, limit: 1).isEmpty)
        }
    }

    @Test("a year between two moments goes by its hours, and by minutes only at its ends", arguments: StoreKind.allCases)
    func histogram(_ kind: StoreKind) async throws {
        try await with(kind) { store in
            _ = try await store.append([batch([Observation(metric: "heart-rate", time: Self.first, content: .value(60), unit: "/min")])])
            try await fill(store, .minute, 52_560, every: 10 * Self.minute, kind)
            try await fill(store, .hour, 8760, every: Self.hour, kind)
            // The hours made above hold one reading of six; the count says which were asked.
            _ = store.counts()
            let from = Timestamp(microseconds: Self.first.microseconds + 25 * Self.minute)
            let to = Timestamp(microseconds: Self.first.microseconds + 8700 * Self.hour + 15 * Self.minute)
            let bins = try await store.histogram(range(from, to), by: .month, zone: "Europe/Berlin")
            // 15:30, 15:40, 15:50; the hours from 16 o'clock on; and 00 and 10 minutes past.
            #expect(bins.reduce(0) { $0 + $1.count } == 3 + 8699 + 2)
            let counts = store.counts()
            #expect(counts.rows < 10_000, "\(counts)")
            // India's days begin at half past: minutes, page by page.
            let india = try await store.histogram(range(from, to), by: .month, zone: "Asia/Kolkata")
            #expect(india.reduce(0) { $0 + $1.count } == 52_200 - 1)
            #expect(store.counts().largest <= 10_000)
        }
    }

    @Test("ten thousand steps of minutes, and the gaps between them, are read page by page", arguments: StoreKind.allCases)
    func pages(_ kind: StoreKind) async throws {
        try await with(kind) { store in
            _ = try await store.append([batch([Observation(metric: "heart-rate", time: Self.first, content: .value(60), unit: "/min")])])
            try await fill(store, .minute, 30_000, every: Self.minute, kind)
            let end = Timestamp(microseconds: Self.first.microseconds + 30_000 * Self.minute)
            _ = store.counts()
            let steps = try await store.series(range(Self.first, end), width: 10_000)
            #expect(steps.count == 10_000 && steps.allSatisfy { $0.count == 3 && $0.sum == 180 && $0.time < end })
            #expect(store.counts().largest <= 10_000)
            #expect(try await store.gaps(range(Self.first, end), longerThan: 60).isEmpty)
            #expect(store.counts().largest <= 10_000)
            try await store.write { connection throws(StoreError) in
                let gone: [SQLValue] = [20_000, 20_010].map { .time(Timestamp(microseconds: Self.first.microseconds + $0 * Self.minute)) }
                try connection.run("DELETE FROM rollup_minute WHERE time > $1 AND time < $2", gone)
            }
            let gap = try await store.gaps(range(Self.first, end), longerThan: 300)
            #expect(gap.map { ($0.from.microseconds - Self.first.microseconds) / Self.minute } == [20_000])
            #expect(gap.map { ($0.to.microseconds - Self.first.microseconds) / Self.minute } == [20_010])
        }
    }

    @Test("blocks and texts between which gaps are looked for are read page by page", arguments: StoreKind.allCases)
    func heard(_ kind: StoreKind) async throws {
        try await with(kind) { store in
            let blocks = (0..<10_500).map { ecg([1], at: Double($0) * 60, period: 1) }
            let notes = (0..<10_500).map { note("n", at: Double($0) * 60) }
            _ = try await store.append([batch(blocks + notes)])
            _ = store.counts()
            let end = start.advanced(bySeconds: 10_500 * 60)
            for metric in ["ecg", "note"] {
                #expect(try await store.gaps(range(metric, start, end), longerThan: 61).isEmpty)
                #expect(store.counts().largest <= 10_000)
            }
        }
    }

    @Test(
        "a counter's sources are chosen between by whole days, however the pages fall, with and without rollups",
        arguments: StoreKind.allCases, [true, false])
    func counters(_ kind: StoreKind, _ hasRollups: Bool) async throws {
        try await with(kind, options: StoreOptions(rollups: hasRollups)) { store in
            // Twelve days of minutes from a watch; a phone that counts more on every other day, at fewer moments.
            func steps(_ value: Double, _ minute: Int) -> Observation {
                Observation(
                    metric: "steps", time: Self.first.advanced(bySeconds: Double(minute) * 60), content: .value(value), unit: "{steps}")
            }
            let watch = (0..<17_280).map { steps(1, $0) }
            // From midnight on 9 hours after the beginning: day d has the minutes 540 + 1440 (d − 1) and on.
            let phone = stride(from: 1, to: 12, by: 2).map { steps(5000, 540 + 1440 * ($0 - 1) + 60) }
            let counts = try await store.append([batch(watch), batch(phone, source: "phone")])
            try #require(counts.map(\.rejected) == [0, 0], "\(counts)")
            _ = store.counts()
            let end = Self.first.advanced(bySeconds: 17_280 * 60)
            let days = try await store.histogram(range("steps", Self.first, end.advanced(bySeconds: -1)), by: .day)
            let middle: [Double] = (1...11).map { $0 % 2 == 1 ? 5000 : 1440 }
            let all: Double = 540 + 6 * 5000 + 5 * 1440 + 900
            #expect(days.map(\.sum) == [540] + middle + [900])
            let series = try await store.series(range("steps", Self.first, end), width: 8640)
            #expect(series.reduce(0) { $0 + $1.sum } == all)
            let exact = try await store.series(range("steps", Self.first, end), width: 10_000)
            #expect(exact.reduce(0) { $0 + $1.sum } == all)
            #expect(store.counts().largest <= 10_000)
        }
    }

    @Test("the interval lengths of one device's readings are no matter to another's pages", arguments: StoreKind.allCases)
    func intervals(_ kind: StoreKind) async throws {
        try await with(kind) { store in
            func steps(_ value: Double, _ period: Int32) -> Observation {
                Observation(metric: "steps", time: Self.first, interval: period, content: .value(value), unit: "{steps}")
            }
            _ = try await store.append([
                batch((1...500).map { steps(1, $0) }, participant: "odd"), batch([steps(100, 60)]), batch([steps(200, 0)], source: "phone"),
            ])
            _ = store.counts()
            let series = try await store.series(range("steps", Self.first, Self.first.advanced(bySeconds: 3600)), width: 10)
            #expect(series.map(\.sum) == [200])
            #expect(store.counts().rows < 20)
        }
    }
}
