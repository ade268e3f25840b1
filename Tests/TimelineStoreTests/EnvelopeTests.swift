import Testing
import VigilSchema

@testable import TimelineStore

@Suite("The envelope of a waveform", .timeLimit(.minutes(4)))
struct EnvelopeTests {
    private func range(_ from: Double, _ to: Double, source: String? = nil) -> SeriesRange {
        SeriesRange(
            participant: "12", metric: "ecg", from: start.advanced(bySeconds: from), to: start.advanced(bySeconds: to), source: source)
    }

    @Test("keeps every spike, leaves gaps open, and is cut to the window, across pages of blocks", arguments: StoreKind.allCases)
    func steps(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            // 1200 blocks of a tenth of a second, a flat line with a spike in the 77th second, and nothing from 60 s to 62 s.
            let blocks = (0..<1200).filter { !(600..<620).contains($0) }.map { block in
                ecg((0..<25).map { block == 773 && $0 == 12 ? 1.75 : -0.05 }, at: Double(block) / 10)
            }
            _ = try await store.append([batch(blocks)])
            let runs = try await store.envelope(range(30, 90), width: 60, limit: 1_000_000)
            #expect(runs.map(\.low.count) == [30, 28] && runs.allSatisfy { $0.step == 1 && $0.low.count == $0.high.count })
            #expect(runs.map(\.time) == [start.advanced(bySeconds: 30), start.advanced(bySeconds: 62)])
            #expect(Set(runs.flatMap(\.low)) == [-0.05])
            #expect(runs[1].high.enumerated().filter { $0.element > 0 }.map(\.offset) == [15] && runs[1].high[15] == 1.75)
            // Steps shorter than the time between samples are no gaps.
            let fine = try await store.envelope(range(10, 11), width: 1000, limit: 1_000_000)
            #expect(fine.count == 1 && (fine.first?.low.count ?? 0) >= 996)
            #expect(try await store.envelope(range(500, 600), width: 10, limit: 1).isEmpty)
        }
    }

    @Test("tells sources apart, and has one alone where it is asked for", arguments: StoreKind.allCases)
    func sources(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            for (source, value) in [("lead-1", 0.5), ("lead-2", -0.5)] {
                let group = ObservationGroup(
                    participant: "12", source: source, received: start,
                    observations: [ecg([Double](repeating: value, count: 500), at: 0)])
                _ = try await store.append([ObservationBatch(id: ULID.make(at: start), groups: [group])])
            }
            let both = try await store.envelope(range(0, 2), width: 4, limit: 1000)
            #expect(both.map(\.source) == ["lead-1", "lead-2"] && both.map(\.low) == [[0.5, 0.5, 0.5, 0.5], [-0.5, -0.5, -0.5, -0.5]])
            #expect(try await store.envelope(range(0, 2, source: "lead-2"), width: 4, limit: 1000).map(\.source) == ["lead-2"])
            await #expect(throws: StoreError.self) { try await store.envelope(range(0, 2), width: 61_000, limit: 1000) }
            #expect(try await store.envelope(range(0, 2, source: "lead-1"), width: 61_000, limit: 1000).count == 1)
        }
    }

    @Test("is refused where it would read or hold too much, or the time is none", arguments: StoreKind.allCases)
    func bounds(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            _ = try await store.append([batch([ecg([Double](repeating: 0, count: 500), at: 0)])])
            let whole = range(0, 2)
            for (asked, width, limit) in [(whole, 10, 499), (whole, 0, 1000), (whole, 120_001, 1000), (range(2, 2), 10, 1000)] {
                await #expect(throws: StoreError.self) { try await store.envelope(asked, width: width, limit: limit) }
            }
            #expect(try await store.envelope(whole, width: 120_000, limit: 500).count == 1)
        }
    }

    @Test("bears samples of any size, and a late block that lies before the last")
    func extremes() throws {
        var steps = EnvelopeSteps(from: start, to: start.advanced(bySeconds: 4), width: 4)
        try steps.add(source: "a", at: start.advanced(bySeconds: 2), period: 1, [1e300, -1e300, 7])
        try steps.add(source: "a", at: start.advanced(bySeconds: -1), period: 1, [9, 0.000_012_344_9, -3.141_59])
        try steps.add(source: "a", at: start, period: 0, [5])
        let run = try #require(steps.envelopes.first)
        #expect(steps.envelopes.count == 1 && run.time == start && run.low.count == 4)
        #expect(run.low[0] == 0.000_012_34 && run.high[1] == -3.142 && run.high[2] > 1e38 && run.low[3] < -1e38)
    }
}
