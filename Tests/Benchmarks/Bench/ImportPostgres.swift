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
        // A broker of its own: a session that another measurement left would collect the import as well.
        let target = try await ImportTarget(.postgres, server: bench.postgres)
        let start = MonotonicTime.now
        let importer = try target.importer([file, "--quiet"])
        guard try await importer.waitForExit(within: .seconds(900)) == 0 else { throw HarnessError(importer.output) }
        let seconds = Double(MonotonicTime.now - start) / 1e9
        try await target.stop()
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
