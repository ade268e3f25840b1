import TestSupport
import Testing
import VigilSchema

@testable import TimelineStore

@Suite("Storage, in both stores")
struct StorageTests {
    private static let now = start.advanced(bySeconds: 3 * 86_400)

    @Test("divides the tables' bytes among participants and metrics", arguments: StoreKind.allCases, [true, false])
    func shares(_ kind: StoreKind, rollups: Bool) async throws {
        try await kind.withStore(options: StoreOptions(rollups: rollups)) { store async throws in
            let rates = (0..<300).map { heartRate(60 + Double($0 % 7), at: Double($0)) }
            let blocks = (0..<20).map { number in ecg((0..<100).map { Double($0 * $0 % 31) / 100 }, at: Double(number)) }
            _ = try await store.append([batch(rates + [note("well")] + blocks), batch(Array(rates.prefix(100)), participant: "13")])
            let report = try await store.storage(now: Self.now)
            let counts = report.series.map { "\($0.participant) \($0.metric) \($0.kind.rawValue) \($0.count)" }
            #expect(counts == ["12 ecg waveforms 20", "12 heart-rate readings 300", "12 note readings 1", "13 heart-rate readings 100"])
            for kind in [StorageReport.Kind.readings, .waveforms] {
                let parts = report.series.filter { $0.kind == kind }.reduce(0) { $0 + $1.bytes }
                #expect(abs(parts - (report.kinds[kind] ?? 0)) <= 4 && parts > 0)
            }
            #expect((report.kinds[.rollups] ?? 0) > 0 && (report.kinds[.people] ?? 0) > 0 && report.bytes > report.kinds[.readings] ?? 0)
        }
    }

    @Test("takes the last week's measurements by the days that it has, and what is older for none", arguments: StoreKind.allCases)
    func growth(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let old = (0..<100).map { heartRate(60, at: Double($0) - 40 * 86_400) }
            _ = try await store.append([batch(old)])
            #expect(try await store.storage(now: Self.now).bytesPerDay == nil)
            _ = try await store.append([batch((0..<100).map { heartRate(60, at: Double($0)) })])
            let report = try await store.storage(now: Self.now)
            let series = try #require(report.series.first)
            // A day began at most 24 hours before the first reading.
            let share = series.bytesPerDay / (Double(series.bytes) / 2)
            #expect(report.series.count == 1 && share <= 1 / 3.0 && share >= 1 / 4.0)
            #expect(try #require(report.bytesPerDay) > series.bytesPerDay)
        }
    }

    @Test("counts no readings that retention has removed, though the days' sums remember them", arguments: StoreKind.allCases)
    func retention(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            _ = try await store.append([batch((0..<50).map { heartRate(60, at: Double($0) - 40 * 86_400) } + [heartRate(70)])])
            try await store.setRetention(RetentionRule(.raw, metric: nil, days: 10))
            _ = try await store.applyRetention(now: Self.now)
            #expect(try await store.storage(now: Self.now).series.map(\.count) == [1])
        }
    }
}
