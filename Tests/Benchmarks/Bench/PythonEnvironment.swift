import Foundation
import SuiteHarness
import TestSupport

/// A Python with packages from PyPI, in an environment of its own that later runs find again.
struct PythonEnvironment {
    /// What pip is asked for.
    let packages: [String]
    /// For what the programs print.
    let folder: TemporaryFolder

    /// The interpreter's path; made where it is missing.
    func python() async throws -> String {
        let name = packages.joined(separator: "-").filter { $0.isLetter || $0 == "-" }
        let path = URL(filePath: ".build/bench-python/\(name)").path
        let python = "\(path)/bin/python", mark = "\(path)/complete"
        if FileManager.default.fileExists(atPath: mark) { return python }
        try await run("/usr/bin/python3", ["-m", "venv", path])
        try await run(python, ["-m", "pip", "install", "--quiet"] + packages)
        _ = FileManager.default.createFile(atPath: mark, contents: nil)
        return python
    }

    /// Runs a script with arguments and gives what it prints.
    func run(script: String, _ arguments: [String]) async throws -> String {
        try await run(try await python(), ["-c", script] + arguments)
    }

    @discardableResult
    private func run(_ program: String, _ arguments: [String]) async throws -> String {
        let child = try ChildProcess(program, arguments, output: folder.path("python-\(UUID().uuidString)"))
        guard try await child.waitForExit(within: .seconds(600)) == 0 else { throw HarnessError("\(program): \(child.output)") }
        return child.output
    }
}
