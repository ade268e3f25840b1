import Foundation
import Testing
import VigilSchema

@testable import TimelineStore

@Suite("What a correction writes and keeps")
struct CorrectionTests {
    private static let names = """
        (SELECT name FROM session WHERE id = r.session), (SELECT name FROM origin WHERE id = r.origin), zone
        """

    private func rows(_ store: any SQLTimelineStore, _ sql: String) async throws -> [SQLRow] {
        try await store.read { connection throws(StoreError) in try connection.rows(sql) }
    }

    private func zoned(_ observation: Observation, _ zone: Int16?) -> Observation {
        var observation = observation
        observation.zone = zone
        return observation
    }

    private func time(_ row: SQLRow, _ column: Int) -> Double { (row.time(column).seconds - start.seconds) }

    @Test(
        "a reading takes all of the later one, what it does not say too, and the earlier one is kept with all it said",
        arguments: StoreKind.allCases)
    func readings(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let later = (1...2).map { start.advanced(bySeconds: Double($0)) }
            _ = try await store.append([batch([zoned(heartRate(60), 60)], session: "05", origin: "import-1")])
            let sql = "SELECT value, text, received, \(Self.names) FROM reading r"
            var row = try #require(try await rows(store, sql).first)
            #expect(row.values[0] == .real(60) && row.isNull(1) && time(row, 2) == 0)
            #expect(row.text(3) == "05" && row.text(4) == "import-1" && row.integer(5) == 60)
            let text = Observation(metric: "heart-rate", time: start, content: .text("none"), unit: "/min", zone: -90)
            #expect(try await store.append([batch([text], session: "06", received: later[0])]) == [AppendCounts(corrections: 1)])
            row = try #require(try await rows(store, sql).first)
            #expect(row.isNull(0) && row.text(1) == "none" && time(row, 2) == 1)
            #expect(row.text(3) == "06" && row.isNull(4) && row.integer(5) == -90)
            #expect(try await store.count("rollup_minute") == 0)
            #expect(try await store.append([batch([heartRate(61)], received: later[1])]) == [AppendCounts(corrections: 1)])
            row = try #require(try await rows(store, sql).first)
            #expect(row.values[0] == .real(61) && row.isNull(1) && time(row, 2) == 2)
            #expect(row.isNull(3) && row.isNull(4) && row.isNull(5))
            #expect(try await store.count("rollup_day", where: "count = 1 AND sum = 61") == 1)
            let kept = try await rows(store, "SELECT value, text, received, \(Self.names), replaced FROM correction r ORDER BY id")
            #expect(kept.map { [time($0, 2), time($0, 6)] } == [[0, 1], [1, 2]])
            #expect(kept.map { $0.optionalReal(0) } == [60, nil] && kept.map { $0.optionalText(1) } == [nil, "none"])
            #expect(kept.map { $0.optionalText(3) } == ["05", "06"] && kept.map { $0.optionalText(4) } == ["import-1", nil])
            #expect(kept.map { $0.optionalInteger(5) } == [60, -90])
        }
    }

    @Test(
        "what was received by a clock ahead by decades is corrected by what comes once it is right, and does not come back",
        arguments: StoreKind.allCases)
    func clockAhead(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let present = Timestamp(seconds: Date().timeIntervalSince1970)
            let future = present.advanced(bySeconds: 1e9)
            let wrong = batch([heartRate(60), ecg([1, 2])], received: future),
                right = batch([heartRate(70), ecg([3, 4])], received: present)
            let older = batch([heartRate(50), ecg([5, 6])], received: present.advanced(bySeconds: -1))
            #expect(try await store.append([wrong]) == [AppendCounts(stored: 2)])
            #expect(try await store.append([right]) == [AppendCounts(corrections: 2)])
            #expect(try await store.append([wrong, right, older]) == Array(repeating: AppendCounts(duplicates: 2), count: 3))
            #expect(try await rows(store, "SELECT value FROM reading").map { $0.real(0) } == [70])
            #expect(try await store.count("waveform", where: "min = 3 AND max = 4") == 1)
            #expect(try await store.count("correction") == 2)
            // Where both are ahead, as where machines disagree, the later one wins as ever.
            let ahead = (1...2).map { batch([heartRate(80 + Double($0), at: 9)], received: future.advanced(bySeconds: Double($0))) }
            #expect(try await store.append([ahead[1], ahead[0]]) == [AppendCounts(stored: 1), AppendCounts(duplicates: 1)])
        }
    }

    @Test("a block takes all of the later one, and the earlier one is kept with all it said", arguments: StoreKind.allCases)
    func blocks(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let sql = "SELECT ends, period, count, min, max, received, \(Self.names) FROM waveform r"
            let first = zoned(ecg([0.3, -0.2, 0.5], period: 0.5), 120)
            _ = try await store.append([batch([first], session: "05", origin: "import-1")])
            var row = try #require(try await rows(store, sql).first)
            #expect(time(row, 0) == 1.5 && row.real(1) == 0.5 && row.integer(2) == 3 && row.real(3) == -0.2 && row.real(4) == 0.5)
            #expect(time(row, 5) == 0 && row.text(6) == "05" && row.text(7) == "import-1" && row.integer(8) == 120)
            let later = start.advanced(bySeconds: 7)
            #expect(try await store.append([batch([ecg([4, 3], period: 0.25)], received: later)]) == [AppendCounts(corrections: 1)])
            row = try #require(try await rows(store, sql).first)
            #expect(time(row, 0) == 0.5 && row.real(1) == 0.25 && row.integer(2) == 2 && row.real(3) == 3 && row.real(4) == 4)
            #expect(time(row, 5) == 7 && row.isNull(6) && row.isNull(7) && row.isNull(8))
            let kept = try #require(try await store.corrections(participant: "12", after: 0).first)
            #expect(kept.samples == [0.3, -0.2, 0.5] && kept.period == 0.5 && kept.session == "05" && kept.zone == 120)
            #expect(kept.received == start && kept.replaced == later)
            // The same samples at another rate are another content, as are fewer of them.
            for (block, corrections) in [(ecg([4, 3], period: 0.5), 1), (ecg([4], period: 0.5), 1), (ecg([4], period: 0.5), 0)] {
                let counts = try await store.append([batch([block], received: later.advanced(bySeconds: 1))])[0]
                #expect(counts.corrections == corrections && counts.total == 1)
            }
        }
    }

    private func block(_ samples: [Double], _ period: Double) -> BlockRow {
        BlockRow(
            identity: Identity(time: 0, participant: 1, metric: 1, source: 1, sequence: 0), samples: samples, period: period,
            encoded: WaveformCodec.encode(samples, with: ZstdContext()), received: 0, session: -1, origin: -1, zone: .min,
            place: RowPosition(batch: 0, group: 0, observation: 0))
    }

    @Test("a block says the same as a row of its period, number and samples, whatever bytes these are written in")
    func sameBlock() {
        let samples: [Double] = [1, 2, 3], one = block(samples, 0.5)
        // The same numbers as raw doubles.
        let raw: [UInt8] =
            [2, 0] + (0..<8).flatMap { byte in samples.map { UInt8(truncatingIfNeeded: $0.bitPattern >> UInt64(byte * 8)) } }
        for (period, count, bytes, isSame) in [
            (0.5, 3, one.encoded, true), (0.5, 3, raw, true), (0.25, 3, one.encoded, false), (0.5, 2, one.encoded, false),
            (0.5, 3, block([1, 2, 4], 0.5).encoded, false), (0.5, 3, [], false), (0.5, 3, [9, 9], false),
        ] as [(Double, Int64, [UInt8], Bool)] {
            #expect(one.equals(SQLRow([.real(period), .integer(count), .blob(bytes)])) == isSame)
        }
    }

    @Test(
        "what the database refuses is found by halves, each with its reason",
        arguments: [[], [0], [99], [49, 50], [0, 37, 98], Array(0..<100)] as [[Int32]])
    func poison(poison: [Int32]) throws {
        let places = (0..<100).map { RowPosition(batch: 0, group: 0, observation: Int32($0)) }
        var trials = 0
        let search = PoisonSearch { some in
            trials += 1
            return some.map(\.observation).filter(poison.contains).min().map { "row \($0)" }
        }
        let found = try search.find(in: places)
        #expect(found.count == poison.count)
        for (place, reason) in found { #expect(reason == "row \(place.observation)") }
        #expect(trials <= 1 + 2 * 7 * poison.count)
        #expect(try search.find(in: []) == [:])
    }
}
