import Testing
import TimelineStore
import VigilSchema

@Suite("Readings over intervals, in both stores")
struct IntervalTests {
    /// 2017-01-18 23:00 UTC: a midnight in Berlin.
    private static let midnight = Timestamp(seconds: 1_484_780_400)

    private func steps(_ value: Double, at hours: Double, over interval: Int32) -> Observation {
        Observation(
            metric: "steps", time: Self.midnight.advanced(bySeconds: hours * 3600), interval: interval, content: .value(value),
            unit: "{steps}")
    }

    /// A day's total, those of its hours, and those of two minutes: all that can be said of one day.
    private var everyLength: [Observation] {
        [steps(2405, at: 0, over: 86_400)] + (0..<24).map { steps(100, at: Double($0), over: 3600) }
            + [steps(7, at: 0, over: 60), steps(9, at: 0.5, over: 60)]
    }

    @Test("a day's, an hour's and a minute's total that begin at one midnight are three readings", arguments: StoreKind.allCases)
    func identity(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            #expect(try await store.append([batch(everyLength)]) == [AppendCounts(stored: 27)])
            #expect(try await store.append([batch(everyLength)]) == [AppendCounts(duplicates: 27)])
            let later = batch([steps(2500, at: 0, over: 86_400)], received: start.advanced(bySeconds: 9))
            #expect(try await store.append([later]) == [AppendCounts(corrections: 1)])
            let page = try await store.readings(
                participant: "12", from: Self.midnight, to: Self.midnight.advanced(bySeconds: 1), limit: 10)
            #expect(page.readings.map(\.period).sorted { ($0 ?? 0) < ($1 ?? 0) } == [60, 3600, 86_400])
            #expect(page.readings.map(\.value).sorted { ($0 ?? 0) < ($1 ?? 0) } == [7, 100, 2500])
            #expect(Set(page.readings.map(\.source)) == ["watch"])
        }
    }

    @Test("a counter is counted once, whatever lengths of intervals it comes in", arguments: StoreKind.allCases, [true, false])
    func once(_ kind: StoreKind, _ rollups: Bool) async throws {
        try await kind.withStore(options: StoreOptions(rollups: rollups)) { store async throws in
            _ = try await store.append([batch(everyLength)])
            let range = SeriesRange(
                participant: "12", metric: "steps", from: Self.midnight, to: Self.midnight.advanced(bySeconds: 86_400))
            func sums(_ binning: HistogramBinning) async throws -> [Double] {
                try await store.histogram(range, by: binning, zone: "Europe/Berlin").map(\.sum).filter { $0 > 0 }
            }
            #expect(try await sums(.day) == [2405])
            #expect(try await sums(.weekday) == [2405])
            // A day's total says nothing of its hours.
            #expect(try await sums(.hour) == Array(repeating: 100, count: 24))
            let series = try await store.series(range, width: 24)
            #expect(series.reduce(0) { $0 + $1.sum } == 2400)
            let page = try await store.page(participant: "12", .month, to: range.to)
            #expect(page.series.first?.points.reduce(0) { $0 + $1.sum } == 2400)
        }
    }

    @Test("a watch's steps are not added to the phone's: each day counts the source that has more", arguments: StoreKind.allCases)
    func sources(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            _ = try await store.append([
                batch([steps(500, at: 1, over: 3600), steps(300, at: 25, over: 3600)], source: "watch"),
                batch([steps(400, at: 1, over: 3600), steps(20, at: 2, over: 3600), steps(800, at: 25, over: 3600)], source: "phone"),
            ])
            func days(_ source: String?) async throws -> [Double] {
                let range = SeriesRange(
                    participant: "12", metric: "steps", from: Self.midnight, to: Self.midnight.advanced(bySeconds: 172_800), source: source)
                return try await store.histogram(range, by: .day, zone: "Europe/Berlin").map(\.sum)
            }
            #expect(try await days(nil) == [500, 800])
            #expect(try await days("phone") == [420, 800])
            #expect(try await days("watch") == [500, 300])
        }
    }

    @Test(
        "the view daily knows the wearer's days, also where they are half an hour off, and finds no day twice",
        arguments: StoreKind.allCases)
    func daily(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let people = [("berlin", "Europe/Berlin"), ("kabul", "Asia/Kabul"), ("greenwich", nil)]
            for (name, zone) in people {
                try await store.setProfile(ParticipantProfile(timeZone: zone), participant: name)
                // 22:45 and 23:15 of UTC, and a minute before and after Kabul's midnight, 19:30.
                let times = [-0.25, 0.25, -3.5 - 1 / 60, -3.5 + 1 / 60]
                let rates = times.enumerated().map { index, hours in
                    Observation(
                        metric: "heart-rate", time: Self.midnight.advanced(bySeconds: hours * 3600), content: .value(60 + Double(index)),
                        unit: "/min")
                }
                _ = try await store.append([batch(rates, participant: name)])
            }
            let rows = try await store.read { connection throws(StoreError) in
                try connection.rows("SELECT participant, CAST(day AS text), count, first, last FROM daily ORDER BY participant, day")
            }
            let days = rows.map { "\($0.text(0)) \($0.text(1)) \($0.integer(2)) \($0.real(3)) \($0.real(4))" }
            #expect(
                days == [
                    "berlin 2017-01-18 3 62.0 60.0", "berlin 2017-01-19 1 61.0 61.0", "greenwich 2017-01-18 4 62.0 61.0",
                    "kabul 2017-01-18 1 62.0 62.0", "kabul 2017-01-19 3 63.0 61.0",
                ])
        }
    }

    @Test("the newest rows of the view readings are found without sorting the others")
    func newest() async throws {
        try await StoreKind.sqlite.withStore { store async throws in
            let plan = try await store.read { connection throws(StoreError) in
                try connection.rows("EXPLAIN QUERY PLAN SELECT * FROM readings ORDER BY time DESC LIMIT 5").map { $0.text(3) }
            }
            #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
            _ = try await store.append([batch([heartRate(60), heartRate(61, at: -1e10)])])
            let texts = try await store.read { connection throws(StoreError) in
                try connection.rows("SELECT at FROM readings ORDER BY time").map { $0.text(0) }
            }
            #expect(texts == ["1700-03-01T21:49:42.000000Z", "2017-01-19T15:36:22.000000Z"])
        }
    }

    @Test("refuses a text of more than 4 KB, and what counts over less than nothing", arguments: StoreKind.allCases)
    func limits(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let backwards = Observation(metric: "steps", time: start, interval: -1, content: .value(1), unit: "{steps}")
            let counts = try await store.append([
                batch([note(String(repeating: "é", count: 2049)), note(String(repeating: "é", count: 2048), at: 1), backwards])
            ])[0]
            #expect(counts.stored == 1 && counts.rejections.map(\.observation) == [0, 2])
            #expect(counts.rejections.first?.reason == "the text is longer than 4096 bytes")
        }
    }
}
