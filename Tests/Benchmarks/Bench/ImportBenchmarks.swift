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
    let yardstick: String? = "DuckDB's typed read on one thread"
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

/// A CSV file to durable, deduplicated rows in PostgreSQL through MQTT: rows a second, by the side of `psql \copy` of the same file into
/// a table with the same key.
struct ImportPostgres: Benchmark {
    let name = "import-postgres"
    let unit = "rows/s"
    let goal = Goal.ratio(0.5)
    let yardstick: String? = "`psql \\copy` of the same file"
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

/// The most memory that `vigil-import` takes for a file of any size, through broker and timeline into SQLite.
struct ImportMemory: Benchmark {
    /// The content that is imported.
    enum Content: String, Sendable, CaseIterable {
        case csv, health, archive
    }

    let content: Content
    var name: String { "import-memory-\(content.rawValue)" }
    let unit = "MB"
    let goal = Goal.atMost(100)
    let repeats = 1
    private static let rows = 5_000_000
    private static let records = 2_000_000

    func product(_ bench: Workbench) async throws -> Double {
        let file = try await file(bench)
        let target = try await ImportTarget(.sqlite, server: bench.postgres)
        let start = MonotonicTime.now
        let importer = try target.importer([file, "--participant", "anna", "--quiet"])
        var usage: ProcessUsage?
        try await eventually(within: .seconds(900), "the import's end") {
            usage = ProcessUsage(processID: importer.processID).flatMap { $0.peak > 0 ? $0 : nil } ?? usage
            return importer.hasEnded
        }
        let seconds = Double(MonotonicTime.now - start) / 1e9
        let expected = content == .csv ? Self.rows : Self.records
        let stored = try await target.count()
        guard try await importer.waitForExit() == 0, stored == expected else {
            throw HarnessError("stored \(stored) of \(expected): \(importer.output)")
        }
        try await target.stop()
        Output.note("\(expected) readings in \(Table.number(seconds)) s, \(Table.number(usage?.processor ?? .nan)) s of processor time")
        return usage.map { Double($0.peak) / 1e6 } ?? .nan
    }

    private func file(_ bench: Workbench) async throws -> String {
        switch content {
        case .csv: try ImportLoad(rows: Self.rows).file(in: bench.folder)
        case .health: try HealthLoad(records: Self.records).file(in: bench.folder)
        case .archive: try await HealthLoad(records: Self.records).archive(in: bench.folder)
        }
    }
}

/// A CSV file like the stress study's, of any length: 53 bytes a row, a hundred participants one after the other.
struct ImportLoad {
    let rows: Int

    /// The file's path; made when it is first asked for.
    func file(in folder: TemporaryFolder) throws -> String {
        let path = folder.path("import-\(rows).csv")
        guard !FileManager.default.fileExists(atPath: path) else { return path }
        let partial = path + ".partial"
        try Data().write(to: URL(filePath: partial))
        let handle = try FileHandle(forWritingTo: URL(filePath: partial))
        try handle.write(contentsOf: Data("participant-id,session-id,timestamp,source,heart-rate\n".utf8))
        for start in stride(from: 0, to: rows, by: 10_000) {
            let lines = (start..<min(start + 10_000, rows)).map(line).joined()
            try handle.write(contentsOf: Data(lines.utf8))
        }
        try handle.close()
        try FileManager.default.moveItem(atPath: partial, toPath: path)
        return path
    }

    private func line(_ row: Int) -> String {
        let participant = 100 + row / 50_000, quarter = ["000000", "250000", "500000", "750000"][row % 4]
        return
            "participant\(participant),05,\(1_469_477_616 + row / 4).\(quarter),empatica,\(50 + row * 7919 % 100).\(1000 + row * 104_729 % 9000)\n"
    }
}

/// Says nothing of an import's progress.
struct SilentReporter: ImportReporter {
    func began(_ file: ImportFile, survey: FileSurvey, entry: LedgerEntry) {}
    func advanced(_ file: ImportFile, offset: Int, account: CellCounts) {}
    func finished(_ file: ImportFile, outcome: FileOutcome) {}
    func failed(_ file: ImportFile, error: ImportError) {}
}
