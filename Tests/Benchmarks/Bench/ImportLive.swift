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

    private static let stored = "vigil_timeline_observations_stored_total"

    private func measure(_ bench: Workbench, _ body: (TimelineRun) async throws -> [Double]) async throws -> Double {
        let timeline = try await TimelineRun(store, bench)
        let ingest = try SuiteService("vigil-ingest", brokerPort: timeline.broker.port, folder: timeline.folder)
        try await timeline.service.start()
        try await ingest.start()
        let latencies = try await body(timeline)
        try await ingest.stop()
        try await timeline.service.stop()
        return share.of(latencies)
    }
}
