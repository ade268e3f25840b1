import Observability
import ServiceKit
import Synchronization
import TestSupport
import Testing
import Timeline
import TimelineStore
import VigilSchema

@Suite("Retention by itself", .timeLimit(.minutes(4)))
struct RetentionServiceTests {
    private static let now = Timestamp(seconds: 1_700_000_000)

    private static func batch(_ ages: ClosedRange<Int>) -> ObservationBatch {
        let observations = ages.map { days in
            Observation(
                metric: "heart-rate", time: now.advanced(bySeconds: Double(-days) * 86_400), content: .value(60), unit: "/min")
        }
        return ObservationBatch(
            id: "a", groups: [ObservationGroup(participant: "12", source: "A01", received: now, observations: observations)])
    }

    /// A store with ten days' readings that are to be kept for five, by a clock that is believed.
    private static func rulingStore(in folder: TemporaryFolder) async throws -> SQLiteStore {
        let store = SQLiteStore(path: folder.path("timeline.sqlite"))
        _ = try await store.append([batch(0...9)])
        try await store.setRetention(RetentionRule(.raw, days: 5))
        try await believeClock(of: store)
        return store
    }

    /// As after days of running: a clock is not believed at first.
    private static func believeClock(of store: any TimelineStore) async throws {
        _ = try await store.judgeClock(now, ran: .zero)
        #expect(try await store.judgeClock(now, ran: .seconds(3 * 86_400)) == .believed)
    }

    @Test("applies the rules without being asked, says so in log and metrics, and lets others write between its steps")
    func applies() async throws {
        let folder = try TemporaryFolder("vigil-retention")
        let store = try await Self.rulingStore(in: folder)
        let registry = MetricsRegistry()
        let lines = Mutex<[String]>([])
        let service = RetentionService(
            store: store, interval: .milliseconds(1), metrics: RetentionMetrics(registry),
            log: Logger(service: "test", level: .notice, sink: { line in lines.withLock { $0.append("\(line)") } }), now: { Self.now })
        let running = Task { try await service.run() }
        defer { running.cancel() }
        try await eventually("four days' readings are gone") {
            registry.render().contains("vigil_timeline_retention_rows_removed_total 4")
        }
        #expect(try await store.append([Self.batch(1...3)])[0].duplicates == 3)
        #expect(try await store.append([Self.batch(8...8)])[0].rejected == 1)
        running.cancel()
        try await running.value
        let page = try await store.readings(
            participant: "12", from: Self.now.advanced(bySeconds: -20 * 86_400), to: Self.now.advanced(bySeconds: 1))
        #expect(page.readings.count == 6)
        #expect(lines.withLock { $0.contains { $0.contains("retention applied") && $0.contains("4") } })
    }

    @Test("has months indexed and packed without being asked, and says which")
    func indexes() async throws {
        let store = PostgresStore(PostgresConfiguration(connection: try PostgresServer.shared().makeDatabase()))
        _ = try await store.append([Self.batch(60...60)])
        try await Self.believeClock(of: store)
        let lines = Mutex<[String]>([])
        let service = RetentionService(
            store: store, interval: .milliseconds(1), metrics: RetentionMetrics(MetricsRegistry()),
            log: Logger(service: "test", level: .notice, sink: { line in lines.withLock { $0.append("\(line)") } }), now: { Self.now })
        let running = Task { try await service.run() }
        defer { running.cancel() }
        try await eventually("September and the month after it are indexed") {
            lines.withLock { $0.contains { $0.contains("months indexed") && $0.contains("reading_2023_10 reading_2023_09") } }
        }
        try await eventually("September's sums are packed") {
            lines.withLock { $0.contains { $0.contains("months packed") && $0.contains("rollup_day 1, rollup_hour 1, rollup_minute 1") } }
        }
        running.cancel()
        try await running.value
        await store.close()
    }

    @Test("removes and packs nothing by a clock that is thirty years ahead after a start, says so, and goes on once it is right")
    func leap() async throws {
        let folder = try TemporaryFolder("vigil-retention")
        let store = try await Self.rulingStore(in: folder)
        let registry = MetricsRegistry()
        let lines = Mutex<[String]>([])
        let shown = Mutex(Self.now.advanced(bySeconds: 30 * 365 * 86_400))
        let service = RetentionService(
            store: store, interval: .milliseconds(1), metrics: RetentionMetrics(registry),
            log: Logger(service: "test", level: .notice, sink: { line in lines.withLock { $0.append("\(line)") } }),
            now: { shown.withLock { $0 } })
        let running = Task { try await service.run() }
        defer { running.cancel() }
        try await eventually("three runs have waited") { lines.withLock { $0.count { $0.contains("the clock has leapt") } } >= 3 }
        #expect(registry.render().contains("vigil_timeline_retention_clock_doubted 1"))
        #expect(lines.withLock { !$0.contains { $0.contains("months packed") } })
        #expect(try await store.append([Self.batch(0...9)])[0].duplicates == 10)
        shown.withLock { $0 = Self.now.advanced(bySeconds: 60) }
        try await eventually("four days' readings are gone") {
            registry.render().contains("vigil_timeline_retention_rows_removed_total 4")
        }
        #expect(registry.render().contains("vigil_timeline_retention_clock_doubted 0"))
        running.cancel()
        try await running.value
    }

    @Test("seals a first import while its clock is not known yet, and nothing while that is paused")
    func seals() async throws {
        let folder = try TemporaryFolder("vigil-retention")
        let store = SQLiteStore(path: folder.path("timeline.sqlite"))
        let observations = (0..<40).map { second in
            Observation(
                metric: "heart-rate", time: Self.now.advanced(bySeconds: Double(second - 30 * 86_400)), content: .value(60), unit: "/min")
        }
        _ = try await store.append([
            ObservationBatch(
                id: "a", groups: [ObservationGroup(participant: "12", source: "A01", received: Self.now, observations: observations)])
        ])
        try await store.pauseSealing(true)
        let registry = MetricsRegistry()
        let service = RetentionService(
            store: store, interval: .milliseconds(1), sealAfter: .seconds(86_400), metrics: RetentionMetrics(registry),
            log: Logger(service: "test", level: .error, sink: { _ in }), now: { Self.now })
        let running = Task { try await service.run() }
        defer { running.cancel() }
        try await eventually("a run finds it paused") { registry.render().contains("vigil_timeline_sealing_paused 1") }
        #expect(registry.render().contains("vigil_timeline_sealed_readings_total 0"))
        try await store.pauseSealing(false)
        try await eventually("the day is sealed") { registry.render().contains("vigil_timeline_sealed_readings_total 40") }
        #expect(registry.render().contains("vigil_timeline_sealing_paused 0"))
    }

    @Test("counts a run that fails, and goes on with the next")
    func failure() async throws {
        let failure = StoreError(.conflict, operation: "write", detail: "test")
        let folder = try TemporaryFolder("vigil-retention")
        let sqlite = SQLiteStore(path: folder.path("timeline.sqlite"))
        try await Self.believeClock(of: sqlite)
        let store = FlakyStore(sqlite, failures: [], writeFailures: [failure, failure])
        let registry = MetricsRegistry()
        let service = RetentionService(
            store: store, interval: .milliseconds(1), metrics: RetentionMetrics(registry),
            log: Logger(service: "test", level: .error, sink: { _ in }), now: { Self.now })
        let running = Task { try await service.run() }
        defer { running.cancel() }
        try await eventually("a run succeeds after the failed one") {
            let metrics = registry.render()
            return metrics.contains("vigil_timeline_retention_failures_total 2")
                && metrics.contains("vigil_timeline_retention_last_run_seconds 1700000000")
        }
    }
}
