import Testing
import TimelineStore
import VigilSchema

@Suite("Appending, in both stores")
struct AppendTests {
    @Test("stores every observation of every batch and says so per batch", arguments: StoreKind.allCases)
    func counts(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let first = batch([heartRate(60), heartRate(61, at: 1), note("walked", at: 2)])
            let second = batch([ecg([0.11, 0.13, -0.02]), heartRate(70)], participant: "13", session: "05")
            let counts = try await store.append([first, second])
            #expect(counts == [AppendCounts(stored: 3), AppendCounts(stored: 2)])
            #expect(try await store.count("reading") == 4)
            #expect(try await store.count("waveform") == 1)
            #expect(try await store.count("participant") == 2)
        }
    }

    @Test("stores a batch that arrives again once", arguments: StoreKind.allCases)
    func again(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let batches = [batch([heartRate(60), note("a"), ecg([1, 2, 3]), heartRate(61, at: 1)])]
            _ = try await store.append(batches)
            #expect(try await store.append(batches) == [AppendCounts(duplicates: 4)])
            #expect(try await store.count("reading") == 3)
            #expect(try await store.count("correction") == 0)
        }
    }

    @Test("finds duplicates and corrections inside one call", arguments: StoreKind.allCases)
    func inside(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let later = start.advanced(bySeconds: 1)
            let batches = [
                batch([heartRate(60), heartRate(60), heartRate(65, at: 1)]),
                batch([heartRate(61), heartRate(65, at: 1)], received: later), batch([heartRate(60)]),
            ]
            let counts = try await store.append(batches)
            #expect(counts[0] == AppendCounts(stored: 2, duplicates: 1))
            #expect(counts[1] == AppendCounts(duplicates: 1, corrections: 1))
            #expect(counts[2] == AppendCounts(duplicates: 1))
            #expect(try await store.count("reading", where: "value = 61") == 1)
            #expect(try await store.count("correction", where: "value = 60") == 1)
        }
    }

    @Test("lets the later received win whatever the order of arrival, and keeps the earlier", arguments: StoreKind.allCases)
    func later(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let later = start.advanced(bySeconds: 10)
            _ = try await store.append([batch([heartRate(60)])])
            #expect(try await store.append([batch([heartRate(61)], received: later)]) == [AppendCounts(corrections: 1)])
            #expect(try await store.append([batch([heartRate(60)])]) == [AppendCounts(duplicates: 1)])
            #expect(try await store.append([batch([heartRate(62)])]) == [AppendCounts(duplicates: 1)])
            #expect(try await store.count("reading", where: "value = 61") == 1)
            #expect(try await store.count("correction") == 1)
        }
    }

    @Test("takes a repetition of two corrections received at one moment for duplicates", arguments: StoreKind.allCases)
    func repetition(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let batches = [batch([heartRate(60), heartRate(61), note("a"), note("b"), ecg([1, 2]), ecg([2, 3])])]
            #expect(try await store.append(batches) == [AppendCounts(stored: 3, corrections: 3)])
            #expect(try await store.append(batches) == [AppendCounts(duplicates: 6)])
            #expect(try await store.count("reading", where: "value = 61 OR text = 'b'") == 2)
            #expect(try await store.count("correction") == 3)
        }
    }

    @Test("decides about what comes several times in one append as if it came one by one", arguments: StoreKind.allCases)
    func repetitionAtOnce(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let early = [heartRate(60), note("a"), ecg([1, 2])], late = [heartRate(61), note("b"), ecg([2, 3])]
            let batches = [batch(early), batch(early), batch(late, received: start.advanced(bySeconds: 1)), batch(early)]
            let counts = try await store.append(batches)
            #expect(
                counts == [
                    AppendCounts(stored: 3), AppendCounts(duplicates: 3), AppendCounts(corrections: 3), AppendCounts(duplicates: 3),
                ])
            #expect(try await store.count("reading", where: "value = 61 OR text = 'b'") == 2)
            #expect(try await store.count("reading") == 2)
            #expect(try await store.count("rollup_minute", where: "count = 1 AND sum = 61") == 1)
        }
    }

    @Test("keeps readings apart that share a time but not the sequence, the source or the metric", arguments: StoreKind.allCases)
    func identity(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            var other = heartRate(60)
            other.metric = "resting-heart-rate"
            let counts = try await store.append([
                batch([heartRate(60), heartRate(60, sequence: 1), other]), batch([heartRate(60)], source: "strap"),
            ])
            #expect(counts == [AppendCounts(stored: 3), AppendCounts(stored: 1)])
        }
    }

    @Test("refuses what no database can hold, says why, and stores the rest", arguments: StoreKind.allCases)
    func poison(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let odd = [
                heartRate(.nan), note("a\0b"), ecg([]), ecg([1, .infinity]), ecg([1], period: 0),
                Observation(metric: "heart-rate", time: start, content: .value(1), unit: "Hz"),
                Observation(metric: "", time: start, content: .value(1), unit: "1"),
                Observation(metric: "heart-rate", time: Timestamp(microseconds: .max), content: .value(1), unit: "/min"),
            ]
            let counts = try await store.append([batch([heartRate(60)] + odd + [heartRate(61, at: 1)])])
            #expect(counts[0].stored == 2)
            #expect(counts[0].rejections.map(\.observation) == Array(1...odd.count))
            #expect(counts[0].rejections.allSatisfy { !$0.reason.isEmpty })
            #expect(counts[0].total == odd.count + 2)
        }
    }

    @Test("takes observations from before 1970 and from far years", arguments: StoreKind.allCases)
    func times(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let times: [Int64] = [-62_135_596_800_000_000, -1, 0, 1, 253_402_300_799_999_999, 4_102_444_799_999_999]
            let observations = times.map {
                Observation(metric: "heart-rate", time: Timestamp(microseconds: $0), content: .value(60), unit: "/min")
            }
            #expect(try await store.append([batch(observations)]) == [AppendCounts(stored: times.count)])
            let stored = try await store.read { connection throws(StoreError) in
                try connection.rows("SELECT time FROM reading ORDER BY time").map { $0.time(0).microseconds }
            }
            #expect(stored == times.sorted())
        }
    }

    @Test("does nothing for no batches, and counts nothing for an empty one", arguments: StoreKind.allCases)
    func empty(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            #expect(try await store.append([]) == [])
            #expect(try await store.append([batch([])]) == [AppendCounts()])
        }
    }
}
