import Testing
import TimelineStore
import VigilSchema

@Suite("Samples around alarms outlast the rule about samples", .timeLimit(.minutes(4)))
struct KeptStripTests {
    private static let day = 86_400.0
    private let now = start.advanced(bySeconds: 200 * 86_400)

    private func alert(_ seconds: Double, kind: String = "medical", _ transition: String = "raised", of participant: String = "12")
        -> AlertMessage
    {
        let time = start.advanced(bySeconds: seconds).seconds
        return AlertMessage(
            participant: participant, rule: "heart-rate-high", sequence: 1, transition: transition, cause: "reading", time: time,
            decided: time,
            state: "active", severity: "warning", priority: "medium", kind: kind, group: "vital-signs", since: time,
            message: ["en": #"no "kind":"medical" by its text"#])
    }

    /// Blocks of ten seconds, 0.25 s from sample to sample.
    private func blocks(_ times: [Double]) -> [Observation] {
        times.map { ecg([Double](repeating: 0.5, count: 40), at: $0, period: 0.25) }
    }

    private func times(_ store: any SQLTimelineStore, of participant: String = "12") async throws -> [Double] {
        let whole = SeriesRange(
            participant: participant, metric: "ecg", from: start.advanced(bySeconds: -Self.day), to: now)
        return try await store.waveform(whole).map { Double($0.time.microseconds - start.microseconds) / 1e6 }
    }

    @Test("from ten seconds before a medical alarm to twenty after, of that person alone", arguments: StoreKind.allCases)
    func around(_ kind: StoreKind) async throws {
        try await kind.withStore { store async throws in
            let every = (0..<12).map { Double($0) * 10 }
            _ = try await store.append([batch(blocks(every)), batch(blocks(every), participant: "13")])
            _ = try await store.append(alerts: [
                alert(45), alert(95, kind: "technical"), alert(100, "acknowledged"), alert(45, kind: "technical", of: "13"),
            ])
            try await store.setRetention(RetentionRule(.waveform, days: 30))
            // 35 to 65 s: the blocks that begin at 30, 40, 50 and 60 s.
            for removed in [8 + 12, nil] {
                #expect(try await store.applyRetention(now: start.advanced(bySeconds: 40 * Self.day)).rows["waveform"] == removed)
                #expect(try await times(store) == [30, 40, 50, 60])
                #expect(try await times(store, of: "13").isEmpty)
            }
        }
    }

    @Test("also where a whole month goes, which then holds nothing else, and takes what comes afterwards")
    func months() async throws {
        try await StoreKind.postgres.withStore { store async throws in
            _ = try await store.append([batch(blocks([0, 10, 20, 30, 20 * Self.day, 190 * Self.day]))])
            _ = try await store.append(alerts: [alert(25)])
            try await store.setRetention(RetentionRule(.waveform, days: 30))
            let report = try await store.applyRetention(now: now)
            #expect(report.partitions == ["waveform_2017_01", "waveform_2017_02", "waveform_2017_03"])
            #expect(try await times(store) == [10, 20, 30, 190 * Self.day])
            #expect(try await store.applyRetention(now: now).partitions.isEmpty)
            _ = try await store.append([batch(blocks([5, 10]))])
            #expect(try await times(store) == [5, 10, 20, 30, 190 * Self.day])
            // An append also makes the month after its own.
            #expect(try await store.applyRetention(now: now).partitions == ["waveform_2017_01", "waveform_2017_02"])
            #expect(try await times(store) == [10, 20, 30, 190 * Self.day])
        }
    }
}
