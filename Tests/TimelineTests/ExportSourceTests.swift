import TestSupport
import Testing
import TimelineStore
import VigilSchema

@testable import Timeline

@Suite("What an export takes out of a store")
struct ExportSourceTests {
    @Test("hands over everything, from the first year that a store takes to the last, each once", arguments: [false, true])
    func all(isPostgres: Bool) async throws {
        let folder = try TemporaryFolder("vigil-export")
        let store: any SQLTimelineStore =
            isPostgres
            ? PostgresStore(PostgresConfiguration(connection: try PostgresServer.shared().makeDatabase()))
            : SQLiteStore(path: folder.path("timeline.sqlite"))
        let edges = [ExportSource.always.lowerBound, Timestamp(microseconds: ExportSource.always.upperBound.microseconds - 1)]
        // More than a page of them.
        let times = edges + (0..<6000).map { Timestamp(seconds: 1_484_840_182 + Double($0)) }
        let readings = times.map { Observation(metric: "heart-rate", time: $0, content: .value(60), unit: "/min") }
        let block = Observation(metric: "ecg", time: Timestamp(seconds: 1), content: .samples([0.5, 1], period: 0.004), unit: "mV")
        let group = ObservationGroup(
            participant: "12", source: "watch", received: Timestamp(seconds: 5), observations: readings + [block])
        _ = try await store.append([ObservationBatch(id: "b", groups: [group])])
        var taken: [Observation] = []
        try await ExportSource(store: store, participant: "12", metric: nil, range: ExportSource.always).forEach {
            taken += $0.observations
        }
        #expect(taken.count == 6003)
        #expect(Set(taken.filter { $0.metric == "heart-rate" }.map(\.time)) == Set(times))
        #expect(taken.filter { $0.metric == "ecg" } == [block])
        await store.close()
    }
}
