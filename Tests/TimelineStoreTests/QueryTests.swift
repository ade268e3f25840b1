import Testing
import TimelineStore
import VigilSchema

@Suite("Queries, in both stores")
struct QueryTests {
    private func range(_ from: Double, _ to: Double, metric: String = "heart-rate") -> SeriesRange {
        SeriesRange(participant: "12", metric: metric, from: start.advanced(bySeconds: from), to: start.advanced(bySeconds: to))
    }

    /// With rollups and without: the answers are the same.
    private static let cases = StoreKind.allCases.flatMap { kind in [true, false].map { (kind, StoreOptions(rollups: $0)) } }

    @Test("gives the newest value of each metric, number or text", arguments: cases)
    func latest(_ kind: StoreKind, _ options: StoreOptions) async throws {
        try await kind.withStore(options: options) { store async throws in
            _ = try await store.append([
                batch([heartRate(60), heartRate(62, at: 100_000), note("later", at: 5), note("now", at: 9)]),
                batch([heartRate(61, at: 90_000)], source: "strap"), batch([heartRate(99)], participant: "13"),
            ])
            let latest = try await store.latest(participant: "12")
            #expect(latest.map(\.metric) == ["heart-rate", "note"])
            #expect(latest.first?.value == 62 && latest.first?.source == "watch" && latest.first?.unit == "/min")
            #expect(latest.last?.text == "now")
            #expect(try await store.latest(participant: "nobody") == [])
        }
    }

    @Test("pages through readings in order, each once", arguments: StoreKind.allCases)
    func paging(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let values = (0..<25).map { heartRate(60 + Double($0), at: Double($0 / 3), sequence: Int32($0 % 3)) }
            _ = try await store.append([batch(values), batch(values, source: "strap", session: "05")])
            var seen: [StoredReading] = []
            var cursor: ReadingsCursor?
            repeat {
                let page = try await store.readings(
                    participant: "12", from: start, to: start.advanced(bySeconds: 100), limit: 7, after: cursor)
                seen += page.readings
                cursor = page.next
            } while cursor != nil
            #expect(seen.count == 50)
            #expect(Set(seen).count == 50)
            #expect(seen.map(\.time) == seen.map(\.time).sorted())
            #expect(seen.filter { $0.session == "05" }.count == 25)
        }
    }

    @Test("keeps every spike in a downsampled series", arguments: cases)
    func series(_ kind: StoreKind, _ options: StoreOptions) async throws {
        try await kind.withStore(options: options) { store async throws in
            var values = (0..<7200).map { heartRate(60, at: Double($0)) }
            values[4321] = heartRate(180, at: 4321)
            _ = try await store.append([batch(values)])
            let coarse = try await store.series(range(0, 7200), width: 30)
            #expect(coarse.count <= 31)
            #expect(coarse.map(\.count).reduce(0, +) == 7200)
            #expect(coarse.filter { $0.max == 180 }.count == 1)
            let fine = try await store.series(range(4300, 4350), width: 50)
            #expect(fine.count == 50)
            #expect(fine[21].max == 180 && fine[21].time == start.advanced(bySeconds: 4321))
        }
    }

    @Test("cuts a waveform to the window, across blocks", arguments: StoreKind.allCases)
    func waveform(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let blocks = (0..<4).map { block in
                ecg((0..<250).map { Double(block * 250 + $0) / 1000 }, at: Double(block))
            }
            _ = try await store.append([batch(blocks)])
            let segments = try await store.waveform(range(0.5, 2.5, metric: "ecg"))
            #expect(segments.map(\.samples.count) == [125, 250, 125])
            #expect(segments.flatMap(\.samples) == (125..<625).map { Double($0) / 1000 })
            #expect(segments.first?.time == start.advanced(bySeconds: 0.5))
        }
    }

    @Test("gives pages of hReader's spans with a time for every value", arguments: cases)
    func page(_ kind: StoreKind, _ options: StoreOptions) async throws {
        try await kind.withStore(options: options) { store async throws in
            let day = 86_400.0
            let ages = [0.5, 3, 20, 200, 3000]
            _ = try await store.append([batch(ages.map { heartRate(60 + $0, at: -$0 * day) } + [note("x", at: -day / 2)])])
            for (span, count) in zip(PageSpan.allCases, 1...) {
                let page = try await store.page(participant: "12", span, to: start)
                #expect(page.series.map(\.metric) == ["heart-rate"])
                #expect(page.series.first?.points.count == count)
                #expect(page.series.first?.points.last?.time == start.advanced(bySeconds: -day / 2))
                #expect(page.texts.map(\.text) == ["x"])
            }
        }
    }

    @Test(
        "tells weekdays and hours by the wearer's clock across daylight-saving changes",
        arguments: StoreKind.allCases,
        [
            // The Sunday on which clocks change, at 23:30 local time on the Saturday, at 00:30, and at 23:30 of the Sunday.
            ("Europe/Berlin", [1490481000.0, 1490484600, 1490563800]),
            ("America/New_York", [1489293000.0, 1489296600, 1489375800]),
            ("Australia/Adelaide", [1491051600.0, 1491055200, 1491141600]),
        ])
    func weekday(_ kind: StoreKind, _ zone: (String, [Double])) async throws {
        try await kind.withStore { store async throws in
            let observations = zone.1.map {
                Observation(metric: "steps", time: Timestamp(seconds: $0), content: .value(100), unit: "{steps}")
            }
            _ = try await store.append([batch(observations)])
            let first = Timestamp(seconds: zone.1[0] - 86_400)
            let whole = SeriesRange(
                participant: "12", metric: "steps", from: RollupLevel.day.start(of: first), to: Timestamp(seconds: zone.1[2] + 86_400))
            let bins = try await store.histogram(whole, by: .weekday, zone: zone.0)
            #expect(bins.map(\.key).first == "Monday" && bins.map(\.key).last == "Sunday")
            #expect(bins.map(\.count).suffix(2) == [1, 2])
            let hours = try await store.histogram(whole, by: .hour, zone: zone.0)
            #expect(hours.count == 24)
            #expect(hours[23].sum == 200 && hours[0].sum == 100)
        }
    }

    @Test("sums days, weeks and months", arguments: cases)
    func bins(_ kind: StoreKind, _ options: StoreOptions) async throws {
        try await kind.withStore(options: options) { store async throws in
            _ = try await store.append([batch([heartRate(60), heartRate(70, at: 86_400), heartRate(80, at: 86_400 * 20)])])
            let whole = range(-86_400, 86_400 * 40)
            #expect(try await store.histogram(whole, by: .day).map(\.key) == ["2017-01-19", "2017-01-20", "2017-02-08"])
            #expect(try await store.histogram(whole, by: .week).map(\.key) == ["2017-01-16", "2017-02-06"])
            let months = try await store.histogram(whole, by: .month)
            #expect(months.map(\.key) == ["2017-01", "2017-02"])
            #expect(months.map(\.mean) == [65, 80])
        }
    }

    @Test("finds where numbers, texts and samples are silent, also at the range's ends", arguments: cases)
    func gaps(_ kind: StoreKind, _ options: StoreOptions) async throws {
        try await kind.withStore(options: options) { store async throws in
            _ = try await store.append([
                batch([heartRate(60), heartRate(61, at: 10), heartRate(62, at: 500), heartRate(63, at: 505), note("a"), ecg([1, 2])])
            ])
            func gaps(_ metric: String, _ from: Double, _ to: Double, longerThan seconds: Double) async throws -> [[Double]] {
                var asked = range(from, to)
                asked.metric = metric
                return try await store.gaps(asked, longerThan: seconds).map { gap in
                    [gap.from, gap.to].map { Double($0.microseconds - start.microseconds) / 1_000_000 }
                }
            }
            #expect(try await gaps("heart-rate", 0, 1000, longerThan: 60) == [[10, 500], [505, 1000]])
            #expect(try await gaps("heart-rate", 0, 510, longerThan: 7) == [[0, 10], [10, 500]])
            #expect(try await gaps("heart-rate", -100, 20, longerThan: 60) == [[-100, 0]])
            #expect(try await gaps("heart-rate", 600, 700, longerThan: 60) == [[600, 700]])
            #expect(try await gaps("note", -100, 100, longerThan: 60) == [[-100, 0], [0, 100]])
            let samples = try await gaps("ecg", -100, 100, longerThan: 60)
            #expect(samples.count == 2 && samples.first == [-100, 0] && samples[1][0] > 0 && samples[1][1] == 100)
            #expect(try await gaps("steps", 0, 100, longerThan: 60).isEmpty)
        }
    }

    @Test("finds no gap where a longer block goes on behind a shorter one within it, and one behind its end", arguments: StoreKind.allCases)
    func gapWithinBlock(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            // The first goes on to second 100.
            _ = try await store.append([batch([ecg(Array(repeating: 0.1, count: 1000), at: 0, period: 0.1)])])
            _ = try await store.append([
                batch([ecg(Array(repeating: 0.2, count: 50), at: 10, period: 0.1), ecg([0.3], at: 300)], source: "other")
            ])
            var asked = range(0, 300)
            asked.metric = "ecg"
            let gaps = try await store.gaps(asked, longerThan: 30)
            #expect(gaps.count == 1)
            #expect(abs((gaps.first?.from.seconds ?? 0) - start.seconds - 100) < 0.2 && gaps.first?.to == start.advanced(bySeconds: 300))
        }
    }

    @Test("finds short gaps among more readings than it reads at once, and says when there are too many", arguments: StoreKind.allCases)
    func shortGaps(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            _ = try await store.append([batch((0..<50_000).map { heartRate(60, at: Double($0)) }), batch([heartRate(60, at: 50_020)])])
            let gaps = try await store.gaps(range(0, 50_021), longerThan: 5)
            #expect(gaps == [SeriesGap(from: start.advanced(bySeconds: 49_999), to: start.advanced(bySeconds: 50_020))])
            let error = await #expect(throws: StoreError.self) { try await store.gaps(range(0, 50_021), longerThan: 0.5) }
            #expect(error?.code == .badRequest && error?.description.contains("more than 10000 gaps") == true)
        }
    }

    @Test("finds sessions and what there is", arguments: cases)
    func overview(_ kind: StoreKind, _ options: StoreOptions) async throws {
        try await kind.withStore(options: options) { store async throws in
            _ = try await store.append([
                batch([heartRate(60), heartRate(61, at: 10), heartRate(62, at: 500)], session: "05"),
                batch([heartRate(63, at: 505), note("a"), ecg([1, 2])]),
            ])
            #expect(
                try await store.sessions(participant: "12")
                    == [SessionSummary(name: "05", first: start, last: start.advanced(bySeconds: 500))])
            let counted = try await store.metrics(participant: "12", counted: true)
            #expect(counted.map(\.metric) == ["ecg", "heart-rate", "note"])
            #expect(counted.map(\.count) == [1, 4, 1])
            #expect(counted.map { $0.last.seconds - $0.first.seconds }[1] == 505)
            let uncounted = counted.map { summary in
                var summary = summary
                summary.count = nil
                return summary
            }
            #expect(try await store.metrics(participant: "12", counted: false) == uncounted)
            #expect(try await store.participants() == ["12"])
        }
    }

    @Test("refuses what makes no sense, in words", arguments: StoreKind.allCases)
    func refusal(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            await #expect(throws: StoreError.self) { try await store.series(self.range(0, 10), width: 0) }
            await #expect(throws: StoreError.self) { try await store.series(range(10, 0), width: 10) }
            await #expect(throws: StoreError.self) { try await store.histogram(range(0, 10), by: .hour, zone: "Mars/Olympus") }
        }
    }
}
