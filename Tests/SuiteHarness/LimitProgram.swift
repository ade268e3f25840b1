import Foundation
package import TestSupport

/// A run of `vigil-limits`, the C programs that generate load and set the limits.
package struct LimitProgram: Sendable {
    private let process: ChildProcess
    private let command: String

    /// Starts a subcommand with its flags.
    package init(_ command: String, _ flags: [String], in folder: TemporaryFolder) throws {
        self.command = command
        process = try ChildProcess(
            try BuiltCommand.path("vigil-limits"), [command] + flags, output: folder.path("\(command)-\(UUID().uuidString)"))
    }

    /// Waits until it has printed this line.
    package func printed(_ line: String) async throws {
        try await eventually("vigil-limits \(command) printed \(line)") {
            guard !process.hasEnded || process.output.contains(line) else { throw HarnessError("\(command): \(process.output)") }
            return process.output.contains(line)
        }
    }

    /// Waits for its end and gives the `name=value` lines that it printed.
    package func result(within limit: Duration = .seconds(600)) async throws -> [String: Int64] {
        guard try await process.waitForExit(within: limit) == 0 else { throw HarnessError("vigil-limits \(command): \(process.output)") }
        let pairs = process.output.split(separator: "\n").compactMap { line -> (String, Int64)? in
            let parts = line.split(separator: "=")
            guard parts.count == 2, let value = Int64(parts[1]) else { return nil }
            return (String(parts[0]), value)
        }
        return Dictionary(pairs) { $1 }
    }

    /// Whether it has ended.
    package var hasEnded: Bool { process.hasEnded }

    /// Sends it a signal.
    package func signal(_ number: Int32) { process.signal(number) }
}
