import Foundation
import SuiteHarness
import TestSupport

/// From when a device's reading was due until its receipt, which says that it is committed, through `vigil-ingest` and `vigil-timeline`: while
/// an import runs as fast as it can, by the side of the same without an import; milliseconds.
struct ImportLive: Benchmark {
    let store: StoreUnderTest.Kind
    let share: LatencyShare
    var name: String { "import-live-\(store.rawValue)-\(share.suffix)" }
    let unit = "ms"
    let goal = Goal.atMostRatio(2)
    let yardstick: String? = "the same without an import"
    private let load = ImportLoad(rows: 5_000_000)
    private let probe = LiveProbe()

    func product(_ bench: Workbench) async throws -> Double {
        let file = try load.file(in: bench.folder)
        return try await measure(bench) { timeline in
            let importer = try ChildProcess(
                try BuiltCommand.path("vigil-import"),
                [file, "--quiet", "--broker-port", "\(timeline.broker.port)", "--state-folder", timeline.folder.path("import")],
                output: timeline.folder.path("import.log"))
            _ = try await timeline.committed(200_000)
            let before = timeline.service.metric(Self.stored) ?? 0, start = MonotonicTime.now
            let latencies = try await probe.run(timeline.broker)
            let imported = (timeline.service.metric(Self.stored) ?? 0) - before - Double(latencies.count)
            guard !importer.hasEnded else { throw HarnessError("the import ended before the probe: \(importer.output)") }
            Output.note("the import stored \(Table.number(imported * 1e9 / Double(MonotonicTime.now - start))) rows/s meanwhile")
            importer.signal(SIGKILL)
            return latencies
        }
    }

    func limit(_ bench: Workbench) async throws -> Double? {
        try await measure(bench) { try await probe.run($0.broker) }
    }

    /// Lets a fresh PostgreSQL have what one that has run for a while has: files of its log in stock. Making one holds every commit up for some
    /// 50 ms, which an import would need each second.
    private func stockWriteAheadLog(_ store: StoreUnderTest) throws {
        guard case .postgres(let server, let connection) = store else { return }
        for statement in [
            "ALTER SYSTEM SET min_wal_size = '1GB'", "SELECT pg_reload_conf()",
            "DO $$ BEGIN FOR i IN 1..48 LOOP PERFORM pg_logical_emit_message(false, '', ''); PERFORM pg_switch_wal(); END LOOP; END $$",
            "CHECKPOINT",
        ] { _ = try server.psql(statement, in: connection) }
    }

    private static let stored = "vigil_timeline_observations_stored_total"

    private func measure(_ bench: Workbench, _ body: (TimelineRun) async throws -> [Double]) async throws -> Double {
        let timeline = try await TimelineRun(store, bench)
        try stockWriteAheadLog(timeline.store)
        let ingest = try SuiteService("vigil-ingest", brokerPort: timeline.broker.port, folder: timeline.folder)
        try await timeline.service.start()
        try await ingest.start()
        let latencies = try await body(timeline)
        try await ingest.stop()
        try await timeline.service.stop()
        return share.of(latencies)
    }
}
