import Foundation
import SuiteHarness
import TestSupport

/// A Python that has DuckDB: the system's, else one in an environment of its own with DuckDB from PyPI.
struct DuckDB {
    let folder: TemporaryFolder

    /// The interpreter's path.
    func python() async throws -> String {
        let own = folder.path("duckdb/bin/python")
        if FileManager.default.isExecutableFile(atPath: own) { return own }
        let system = "/usr/bin/python3"
        if (try? await ChildProcess.run(system, ["-c", "import duckdb"], in: folder)) != nil { return system }
        _ = try await run(system, ["-m", "venv", folder.path("duckdb")])
        _ = try await run(own, ["-m", "pip", "install", "--quiet", "duckdb"])
        return own
    }

    /// Runs a script with arguments and gives what it prints.
    func run(script: String, _ arguments: [String]) async throws -> String {
        try await run(try await python(), ["-c", script] + arguments)
    }

    private func run(_ program: String, _ arguments: [String]) async throws -> String {
        let child = try ChildProcess(program, arguments, output: folder.path("duckdb-\(UUID().uuidString)"))
        guard try await child.waitForExit(within: .seconds(600)) == 0 else { throw HarnessError("\(program): \(child.output)") }
        return child.output
    }
}
