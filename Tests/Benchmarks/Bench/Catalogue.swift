import SuiteHarness

/// Every benchmark, in the order of performance.md's goals.
enum Catalogue {
    static let all: [any Benchmark] = [
        LiveTimeline(name: "live-timeline", store: .postgres),
        LiveTimeline(name: "live-timeline-sqlite", store: .sqlite),
        LiveChain(load: .readings, store: .postgres),
        LiveChain(load: .readings, store: .sqlite),
        LiveChain(load: .waveforms, store: .postgres),
        LiveChain(load: .waveforms, store: .sqlite),
        JSONDecode(load: .readings),
        JSONDecode(load: .samples),
        MemoryOutage(),
        SQLiteScalars(rollups: true),
        SQLiteScalars(rollups: false),
        PostgresScalars(rollups: true),
        PostgresScalars(rollups: false),
        PostgresWaveforms(),
        TimelinePages(question: .day),
        TimelinePages(question: .decade),
        TimelinePages(question: .weekdays),
        ImportParse(),
        ImportPostgres(),
        ImportLive(store: .postgres, share: .median),
        ImportLive(store: .postgres, share: .tail),
        ImportLive(store: .sqlite, share: .median),
        ImportLive(store: .sqlite, share: .tail),
        ImportKills(store: .sqlite),
        ImportKills(store: .postgres),
        ImportMemory(content: .csv),
        ImportMemory(content: .health),
        ImportMemory(content: .archive),
        AlertEngineRate(),
        AlertEngineMemory(),
        AlertLatency(share: .median),
        AlertLatency(share: .tail),
    ]
}
