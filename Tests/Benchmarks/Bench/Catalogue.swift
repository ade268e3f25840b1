import SuiteHarness

/// Every benchmark, in the order of performance.md's goals.
enum Catalogue {
    static let all: [any Benchmark] = [
        LiveTimeline(name: "live-timeline", store: .postgres),
        LiveTimeline(name: "live-timeline-sqlite", store: .sqlite),
        MemoryOutage(),
        SQLiteScalars(),
        PostgresScalars(),
        ImportParse(),
        ImportPostgres(),
        AlertEngineRate(),
        AlertEngineMemory(),
        AlertLatency(share: .median),
        AlertLatency(share: .tail),
    ]
}
