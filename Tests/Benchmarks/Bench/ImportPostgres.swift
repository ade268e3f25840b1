import Foundation
import SuiteHarness
import TestSupport

/// A CSV file to durable, deduplicated rows in PostgreSQL through MQTT: rows a second, by the side of `psql \copy` of the same file into
/// a table with the same key.
struct ImportPostgres: Benchmark {
    let name = "import-postgres"
    let unit = "rows/s"
    let goal = Goal.ratio(0.5)
    let repeats = 2
    private let load = ImportLoad(rows: 5_000_000)

    func product(_ bench: Workbench) async throws -> Double {
        let file = try load.file(in: bench.folder)
        let folder = try bench.freshFolder()
        let store = try bench.store(.postgres, in: folder)
        let instance = bench.freshName("import")
        let timeline = try ChildProcess(
            try BuiltCommand.path("vigil-timeline"),
            [
                "--broker-port", "\(bench.broker.port)", "--instance", instance, "--state-folder", folder.path("timeline"), "--store",
                store.setting(),
            ], output: folder.path("timeline.log"))
        try await eventually(within: .seconds(30)) { timeline.output.contains("running") }
        let start = MonotonicTime.now
        let importer = try ChildProcess(
            try BuiltCommand.path("vigil-import"),
            [file, "--quiet", "--broker-port", "\(bench.broker.port)", "--state-folder", folder.path("import")],
            output: folder.path("import.log"))
        guard try await importer.waitForExit(within: .seconds(900)) == 0 else { throw HarnessError(importer.output) }
        let seconds = Double(MonotonicTime.now - start) / 1e9
        timeline.signal(SIGTERM)
        _ = try await timeline.waitForExit()
        return Double(load.rows) / seconds
    }

    func limit(_ bench: Workbench) async throws -> Double? {
        let file = try load.file(in: bench.folder)
        let folder = try bench.freshFolder()
        guard case .postgres(let server, let connection) = try bench.store(.postgres, in: folder) else { return nil }
        _ = try server.psql(Self.table, in: connection)
        let start = MonotonicTime.now
        _ = try server.psql("\\copy plain FROM '\(file)' CSV HEADER", in: connection)
        return Double(load.rows) * 1e9 / Double(MonotonicTime.now - start)
    }

    private static let table = """
        CREATE TABLE plain (
            participant text NOT NULL, session text, time double precision NOT NULL, source text NOT NULL, value double precision,
            PRIMARY KEY (time, participant, source));
        """
}
