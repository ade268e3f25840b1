import SuiteHarness
import TestSupport
import TimelineStore

/// Readings into SQLite, each once, with rollups or with that setting off: rows a second, by the side of a C loop with a prepared statement
/// into the same table, which keeps no rollups.
struct SQLiteScalars: Benchmark {
    let rollups: Bool
    var name: String { rollups ? "sqlite" : "sqlite-no-rollups" }
    let unit = "rows/s"
    var goal: Goal { .ratio(rollups ? 0.6 : 0.9) }
    let repeats = 5
    private let load = ScalarLoad(count: 500_000, perAppend: 1000)

    func product(_ bench: Workbench) async throws -> Double {
        let folder = try bench.freshFolder()
        return try await load.run(SQLiteStore(path: folder.path("timeline.sqlite"), options: StoreOptions(rollups: rollups)))
    }

    func limit(_ bench: Workbench) async throws -> Double? {
        let folder = try bench.freshFolder()
        let flags = ["--path", folder.path("limit.sqlite"), "--count", "\(load.count)", "--batch", "\(load.perAppend)"]
        let result = try await LimitProgram("sqlite", flags + load.readings.flags, in: folder).result()
        return Double(load.count) * 1e9 / Double(result["end", default: 0] - result["start", default: 0])
    }
}
