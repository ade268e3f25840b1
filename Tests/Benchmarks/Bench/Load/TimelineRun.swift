import SuiteHarness
import TestSupport

/// A `vigil-timeline` with a fresh broker and a fresh database: a session that an earlier measurement left would collect what this one publishes.
struct TimelineRun: Sendable {
    let folder: TemporaryFolder
    let store: StoreUnderTest
    let service: SuiteService
    let broker: MosquittoServer

    init(_ kind: StoreUnderTest.Kind, _ bench: Workbench) async throws {
        broker = try await MosquittoServer.start()
        folder = try bench.freshFolder()
        store = try bench.store(kind, in: folder)
        service = try SuiteService("vigil-timeline", settings: ["--store", store.setting()], brokerPort: broker.port, folder: folder)
    }

    /// Waits until that many observations are committed; gives when it saw so, in nanoseconds of `MonotonicTime`.
    func committed(_ count: Int) async throws -> Int64 {
        try await eventually(within: .seconds(300), "\(count) readings committed") {
            guard !service.hasEnded else { throw HarnessError("vigil-timeline ended: \(service.lastLines)") }
            return (service.metric("vigil_timeline_observations_stored_total") ?? 0) >= Double(count)
        }
        return MonotonicTime.now
    }

    /// Stops the service, after which nothing is left at the broker; throws where something is missing or stored twice.
    func finish(_ readings: NumberedReadings, expected: Int) async throws {
        try await service.stop()
        let census = try await store.census(readings, expected: expected)
        guard census.isPerfect else { throw HarnessError("\(census)") }
    }
}
