import Foundation
import Testing
import VigilSchema

@testable import TimelineStore

@Suite("Limits of what is stored")
struct RowLimitTests {
    private static func observation(
        _ content: Observation.Content, at microseconds: Int64 = 1_484_840_182_000_000, interval: Int32 = 0, metric: String = "m",
        unit: String = "1"
    ) -> Observation {
        Observation(metric: metric, time: Timestamp(microseconds: microseconds), interval: interval, content: content, unit: unit)
    }

    private static func x(_ count: Int) -> String { String(repeating: "x", count: count) }

    @Test(
        "are where the documentation has them, and beyond them the reason is told",
        arguments: [
            (observation(.value(1), at: -62_135_596_800_000_000), nil),
            (observation(.value(1), at: -62_135_596_800_000_001), "the time is outside the years 1 to 9999"),
            (observation(.value(1), at: 253_402_300_799_999_999), nil),
            (observation(.value(1), at: 253_402_300_800_000_000), "the time is outside the years 1 to 9999"),
            (observation(.value(1), interval: 315_576_000), nil),
            (observation(.value(1), interval: 315_576_001), "the period is not 0 seconds to ten years"),
            (observation(.value(1), interval: -1), "the period is not 0 seconds to ten years"),
            (observation(.value(1e140)), nil), (observation(.value(-1.1e140)), "the value lies beyond 1e140"),
            (observation(.samples([-1e140, 1.1e140], period: 1)), "a sample lies beyond 1e140"),
            (observation(.value(-.infinity)), "the value is not a finite number"), (observation(.text(x(4096))), nil),
            (observation(.text(x(4097))), "the text is longer than 4096 bytes"), (observation(.text("a\0")), "the text contains a NUL"),
            (observation(.samples([], period: 1)), "the block has no samples"),
            (observation(.samples([1], period: 0)), "the period is not a positive number"),
            (observation(.samples([1], period: -1)), "the period is not a positive number"),
            (observation(.samples([1], period: .infinity)), "the period is not a positive number"),
            (observation(.samples([1], period: 86_400)), nil), (observation(.samples([1, 2], period: 43_200)), nil),
            (observation(.samples([1, 2], period: 43_201)), "the block is longer than a day"),
            (observation(.samples([1, .nan], period: 1)), "a sample is not a finite number"),
            (observation(.value(1), metric: x(256)), nil), (observation(.value(1), metric: x(257)), "the metric is longer than 256 bytes"),
            (observation(.value(1), metric: ""), "the metric is empty"),
            (observation(.value(1), metric: "n", unit: "a\0"), "the unit contains a NUL"),
            (observation(.value(1), metric: "o", unit: x(257)), "the unit is longer than 256 bytes"),
        ] as [(Observation, String?)])
    func observations(observation: Observation, reason: String?) async throws {
        try await StoreKind.sqlite.withStore { store async throws in
            let counts = try await store.append([batch([observation])])
            #expect(counts[0].rejections.map(\.reason) == (reason.map { [$0] } ?? []) && counts[0].stored == (reason == nil ? 1 : 0))
        }
    }

    @Test("hold for a group as a whole, and each of its observations is rejected with the reason and its place")
    func groups() async throws {
        try await StoreKind.sqlite.withStore { store async throws in
            func group(_ participant: String, _ source: String, _ session: String?, _ received: Int64) -> ObservationGroup {
                ObservationGroup(
                    participant: participant, source: source, session: session, received: Timestamp(microseconds: received),
                    observations: [heartRate(60), heartRate(61, at: 1)])
            }
            let groups = [
                group("a", "s", nil, 0), group("", "s", nil, 0), group("a", Self.x(257), nil, 0), group("a", "s", "x\0", 0),
                group("a", "s", "", 0), group("a", "s", nil, 253_402_300_800_000_000), group("b", Self.x(256), Self.x(256), 1),
            ]
            let counts = try await store.append([batch([heartRate(1, at: 9)]), ObservationBatch(id: "b", groups: groups)])
            #expect(counts[0] == AppendCounts(stored: 1) && counts[1].stored == 4 && counts[1].total == 14 && counts[1].rejected == 10)
            #expect(counts[1].rejections.map(\.group) == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5])
            #expect(counts[1].rejections.map(\.observation) == [0, 1, 0, 1, 0, 1, 0, 1, 0, 1])
            let reasons = [
                "the participant is empty", "the source is longer than 256 bytes", "the session contains a NUL", "the session is empty",
                "the time of receipt is outside the years 1 to 9999",
            ]
            #expect(counts[1].rejections.map(\.reason) == reasons.flatMap { [$0, $0] })
        }
    }

    @Test("a metric keeps its unit, in one append and in the next, among many metrics")
    func units() async throws {
        try await StoreKind.sqlite.withStore { store async throws in
            let many = (0..<12).map { Self.observation(.value(1), metric: "m\($0)", unit: "u\($0)") }
            #expect(try await store.append([batch(many)]) == [AppendCounts(stored: 12)])
            let odd = [Self.observation(.value(2), metric: "m3", unit: "u4")]
            #expect(
                try await store.append([batch(many + odd)])[0].rejections.map(\.reason) == [
                    "the unit is not u3, which the metric is stored in"
                ])
        }
    }

    @Test("a reading over an interval is another than one of a moment, and zones and sequences are kept")
    func circumstances() async throws {
        try await StoreKind.sqlite.withStore { store async throws in
            var zoned = heartRate(60, sequence: 7)
            zoned.zone = -330
            let rows = [
                heartRate(60), Self.observation(.value(1), interval: 60), Self.observation(.value(1), interval: 3600),
                Self.observation(.value(1)), zoned,
            ]
            #expect(try await store.append([batch(rows, session: "05", origin: "import-1")]) == [AppendCounts(stored: 5)])
            #expect(try await store.count("reading", where: "zone = -330 AND seq = 7 AND session IS NOT NULL AND origin IS NOT NULL") == 1)
            #expect(try await store.count("reading", where: "zone IS NULL") == 4)
        }
    }

    @Test("counts add up to all of a batch's observations")
    func counts() throws {
        var counts = AppendCounts()
        for verdict in [Verdict.new, .new, .duplicate, .correction, .correction, .correction] { counts.count(verdict) }
        #expect(counts == AppendCounts(stored: 2, duplicates: 1, corrections: 3) && counts.total == 6 && counts.rejected == 0)
        let rejection = AppendRejection(group: 1, observation: 2, reason: "r")
        #expect(AppendCounts(stored: 1, rejections: [rejection]).total == 2)
        for (same, received, replaced, verdict) in [
            (true, 5, false, Verdict.duplicate), (true, 4, false, .duplicate), (true, 6, true, .duplicate), (false, 4, false, .duplicate),
            (false, 5, false, .correction), (false, 6, false, .correction), (false, 5, true, .duplicate), (false, 6, true, .duplicate),
        ] as [(Bool, Int64, Bool, Verdict)] {
            #expect(try Verdict.of(same: same, received: received, known: 5) { replaced } == verdict)
        }
    }

    @Test(
        "what was received by a clock that was more than a minute ahead is earlier than what comes now",
        arguments: [(53.0, false), (67, true)])
    func ahead(seconds: Double, isLater: Bool) {
        let now = Timestamp(seconds: Date.now.timeIntervalSince1970)
        #expect(Verdict.isLater(now.microseconds, than: now.advanced(bySeconds: seconds).microseconds) == isLater)
    }
}
