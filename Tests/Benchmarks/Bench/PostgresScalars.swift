import SuiteHarness
import TestSupport
import TimelineStore

/// Readings into PostgreSQL, each once, with rollups or with that setting off: rows a second, by the side of a C loop of binary COPY into the
/// same keyed table, which keeps no rollups.
struct PostgresScalars: Benchmark {
    let rollups: Bool
    var name: String { rollups ? "scalars-postgres" : "scalars-postgres-no-rollups" }
    let unit = "rows/s"
    var goal: Goal { .ratio(rollups ? 0.5 : 0.8) }
    let repeats = 5
    private let load = ScalarLoad(count: 1_000_000, perAppend: 10_000)

    func product(_ bench: Workbench) async throws -> Double {
        let folder = try bench.freshFolder()
        guard case .postgres(_, let connection) = try bench.store(.postgres, in: folder) else { return .nan }
        return try await load.run(PostgresStore(PostgresConfiguration(connection: connection), options: StoreOptions(rollups: rollups)))
    }

    func limit(_ bench: Workbench) async throws -> Double? {
        let folder = try bench.freshFolder()
        guard case .postgres(let server, let connection) = try bench.store(.postgres, in: folder) else { return nil }
        try server.psql(Self.table, in: connection)
        let flags = ["--database", connection, "--count", "\(load.count)", "--batch", "\(load.perAppend)"]
        let result = try await LimitProgram("copy", flags + load.readings.flags, in: folder).result()
        return Double(load.count) * 1e9 / Double(result["end", default: 0] - result["start", default: 0])
    }

    /// As the store's, without its partitions.
    private static let table = """
        CREATE TABLE limit_reading (
            time timestamptz NOT NULL, participant integer NOT NULL, metric integer NOT NULL, source integer NOT NULL,
            seq integer NOT NULL, value double precision, text text, received timestamptz NOT NULL, session integer, origin integer,
            zone smallint, PRIMARY KEY (time, participant, metric, source, seq));
        CREATE INDEX limit_reading_text ON limit_reading (participant, metric, time) WHERE text IS NOT NULL;
        """
}
