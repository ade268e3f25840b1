import CSVImport
import Foundation
import SuiteHarness
import TestSupport

/// Reading a CSV file of 5 million rows, with quoting, validation and every cell's account: rows a second on one thread, by the side of DuckDB's
/// typed read of the same file on one thread.
struct ImportParse: Benchmark {
    let name = "import-parse"
    let unit = "rows/s"
    let goal = Goal.ratio(1)
    private let load = ImportLoad(rows: 5_000_000)

    func product(_ bench: Workbench) async throws -> Double {
        let file = try load.file(in: bench.folder)
        let start = MonotonicTime.now
        let summary = try await Importer(
            surveyor: Surveyor(), options: ImportOptions(), policy: Importer.Policy(), sink: NoSink(), ledger: nil, rejects: nil,
            reporter: SilentReporter()
        ).run([ImportFile(path: file)])
        guard summary.account.accepted == load.rows else { throw HarnessError("read \(summary.account.accepted) of \(load.rows) cells") }
        return Double(load.rows) * 1e9 / Double(MonotonicTime.now - start)
    }

    func limit(_ bench: Workbench) async throws -> Double? {
        let file = try load.file(in: bench.folder)
        let output = try await PythonEnvironment(packages: ["duckdb"], folder: bench.folder).run(script: Self.script, [file])
        guard let seconds = Double(output.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw HarnessError("DuckDB said: \(output)")
        }
        return Double(load.rows) / seconds
    }

    /// Sums and counts, so that nothing that is read can be left out.
    private static let script = """
        import duckdb, sys, time
        connection = duckdb.connect()
        connection.execute("SET threads = 1")
        start = time.perf_counter()
        connection.execute('''SELECT count(*), sum("timestamp"), sum("heart-rate"), min("participant-id"), min("session-id"), min(source)
            FROM read_csv(?, header = true, auto_detect = false, delim = ',', quote = '"', columns = {
                'participant-id': 'VARCHAR', 'session-id': 'VARCHAR', 'timestamp': 'DOUBLE', 'source': 'VARCHAR',
                'heart-rate': 'DOUBLE'})''', [sys.argv[1]]).fetchall()
        print(time.perf_counter() - start)
        """
}
