import SuiteHarness
import TestSupport

/// What waited at the broker while `vigil-timeline` was away, into PostgreSQL, a tenth of the messages twice: readings a second from the start of
/// the process to the last commit.
struct BacklogPostgres: Benchmark {
    /// Readings in a message: as `vigil-ingest` makes them under load, or single ones.
    enum Load: Int { case batches = 100, single = 1 }

    let load: Load
    var name: String { load == .batches ? "backlog-postgres" : "backlog-postgres-single" }
    let unit = "readings/s"
    let goal = Goal.atLeast(100_000)

    private var publication: Publication {
        Publication(
            messages: load == .batches ? 10_000 : 300_000, perMessage: load.rawValue, extra: ["--duplicates-permille", "100"])
    }

    func product(_ bench: Workbench) async throws -> Double {
        let timeline = try await TimelineRun(.postgres, bench)
        // Once, for the broker to know the session and the store its tables.
        try await timeline.service.start()
        try await timeline.service.stop()
        _ = try await publication.start(port: timeline.broker.port, in: timeline.folder).result()
        let start = MonotonicTime.now
        let end = try await bench.watching(publication.count, "readings") {
            try timeline.service.launch()
            return try await timeline.committed(publication.count)
        }
        try await timeline.finish(publication.readings, expected: publication.count)
        return Double(publication.count) * 1e9 / Double(end - start)
    }
}
