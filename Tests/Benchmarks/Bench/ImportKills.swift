import SuiteHarness
import TestSupport

/// An import of a million rows that is killed at twenty random points and started again after each: readings that differ from those of an
/// import that nothing disturbs.
struct ImportKills: Benchmark {
    let store: StoreUnderTest.Kind
    var name: String { "import-kills-\(store.rawValue)" }
    let unit = "rows"
    let goal = Goal.atMost(0)
    let repeats = 1
    private let load = ImportLoad(rows: 1_000_000)

    func product(_ bench: Workbench) async throws -> Double {
        let file = try load.file(in: bench.folder)
        let outcome = try await InterruptedImport(file: file, readings: load.rows, kills: 20, store: store).run(server: bench.postgres)
        Output.note("killed at \(outcome.killedAt.map(String.init).joined(separator: ", "))")
        Output.note("exit codes at last \(outcome.exitCodes), \(outcome.stored) readings")
        guard outcome.exitCodes == [0, 0], outcome.stored == load.rows else { throw HarnessError("stored \(outcome.stored)") }
        return Double(outcome.different)
    }
}
