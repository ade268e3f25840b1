import SuiteHarness
import TestSupport

/// The most memory that any service takes while the database is away for a minute and sensors go on: the whole chain, devices to rows.
struct MemoryOutage: Benchmark {
    let name = "memory-outage"
    let unit = "MB"
    let goal = Goal.atMost(40)
    let repeats = 1
    private let load = Publication(format: .device, messages: 180_000, rate: 3000)

    func product(_ bench: Workbench) async throws -> Double {
        let timeline = try await TimelineRun(.postgres, bench)
        let ingest = try SuiteService("vigil-ingest", brokerPort: timeline.broker.port, folder: timeline.folder)
        try await timeline.service.start()
        try await ingest.start()
        try bench.postgres.stopImmediately()
        // Starts a minute of readings, and ends when the minute does.
        _ = try await load.start(port: timeline.broker.port, in: timeline.folder).result()
        try bench.postgres.start()
        _ = try await timeline.committed(load.count)
        let peaks = [timeline.service, ingest].compactMap { service in service.usage.map { (service.name, Double($0.peak) / 1e6) } }
        Output.note(peaks.map { "\($0.0) \(Table.number($0.1)) MB" }.joined(separator: ", "))
        try await ingest.stop()
        try await timeline.finish(load.readings, expected: load.count)
        return peaks.map(\.1).max() ?? .nan
    }
}
