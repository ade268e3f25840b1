import Testing
import TimelineStore
import VigilSchema

@Suite("Selected readings", .serialized, .timeLimit(.minutes(5)))
struct SelectionTests {
    private static let names = ["heart-rate", "oxygen-saturation", "systolic-pressure", "diastolic-pressure", "own-metric"]
    private static let units = ["/min", "%", "mm[Hg]", "mm[Hg]", "1"]
    private static let always = Timestamp(seconds: 0)..<Timestamp(seconds: 1000)

    /// 600 readings of five metrics and two sources, several of a moment, received out of order.
    private static let batches = (0..<60).map { batch in
        let group = ObservationGroup(
            participant: batch % 6 == 5 ? "ben" : "anna", source: batch % 2 == 0 ? "a" : "b",
            received: Timestamp(seconds: Double(10_000 + batch * 37 % 60)),
            observations: (0..<10).map { index in
                Observation(
                    metric: names[(batch + index) % 5], time: Timestamp(seconds: Double((batch * 7 + index / 3) % 100)),
                    sequence: Int32(index), content: index == 9 ? .text("<40") : .value(Double(index)), unit: units[(batch + index) % 5])
            })
        return ObservationBatch(id: "b\(batch)", groups: [group])
    }

    @Test("page by page they are those of all readings, in order, in both directions", arguments: StoreKind.allCases, [false, true])
    func pages(_ kind: StoreKind, _ isNewestFirst: Bool) async throws {
        try await kind.withStore { store in
            _ = try await store.append(Self.batches)
            let all = try await Self.all(store, .init())
            #expect(all.count > 400)
            let half = TimelineQuery.Range(from: Timestamp(seconds: 10_015), to: Timestamp(seconds: 10_040))
            let lists = [
                [], ["heart-rate"], ["systolic-pressure", "diastolic-pressure"], ["none"], Self.names + (0..<20).map { "none-\($0)" },
            ]
            for metrics in lists {
                for (received, source) in [(TimelineQuery.Range(), nil), (half, nil), (.init(), "a"), (half, "b"), (.init(), "c")] {
                    var found = try await Self.all(
                        store, .init(metrics: metrics, received: received, isNewestFirst: isNewestFirst, source: source), limit: 7)
                    if isNewestFirst { found.reverse() }
                    let expected = all.filter {
                        (metrics.isEmpty || metrics.contains($0.metric)) && $0.source.hasPrefix(source ?? "")
                            && (received.from == nil || (half.from!..<half.to!).contains($0.received))
                    }
                    #expect(found == expected, "\(metrics) \(received) \(source ?? "")")
                }
            }
        }
    }

    @Test("a page that looks for a receipt looks through fifty thousand readings, and goes on behind them", arguments: StoreKind.allCases)
    func bounds(_ kind: StoreKind) async throws {
        try await kind.withStore { store in
            let old = Self.block(0..<60_000, received: 1), new = Self.block(60_000..<60_003, received: 2)
            _ = try await store.append([ObservationBatch(id: "old", groups: [old]), ObservationBatch(id: "new", groups: [new])])
            let selection = TimelineQuery.Selection(received: .init(from: Timestamp(seconds: 2)))
            let first = try await store.readings(
                participant: "anna", from: Timestamp(seconds: 0), to: Timestamp(seconds: 1e6), selection: selection)
            #expect(first.readings.isEmpty && first.next?.time == Timestamp(seconds: 49_999))
            let second = try await store.readings(
                participant: "anna", from: Timestamp(seconds: 0), to: Timestamp(seconds: 1e6), selection: selection, after: first.next)
            #expect(second.readings.count == 3 && second.next == nil)
        }
    }

    private static func block(_ seconds: Range<Int>, received: Double) -> ObservationGroup {
        ObservationGroup(
            participant: "anna", source: "a", received: Timestamp(seconds: received),
            observations: seconds.map {
                Observation(metric: "heart-rate", time: Timestamp(seconds: Double($0)), content: .value(60), unit: "/min")
            })
    }

    private static func all(
        _ store: any TimelineStore, _ selection: TimelineQuery.Selection, limit: Int = 100_000
    ) async throws -> [StoredReading] {
        var found: [StoredReading] = []
        var after: ReadingsCursor?
        repeat {
            let page = try await store.readings(
                participant: "anna", from: always.lowerBound, to: always.upperBound, selection: selection, limit: limit, after: after)
            #expect(page.readings.count <= limit)
            found += page.readings
            after = page.next
        } while after != nil
        return found
    }
}
