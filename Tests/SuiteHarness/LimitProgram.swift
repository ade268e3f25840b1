import Foundation
package import TestSupport

/// A run of `vigil-limits`, the C programs that generate load and set the limits.
package struct LimitProgram: Sendable {
    private let process: ChildProcess
    private let command: String
    /// Stays as long as its output may be read.
    private let folder: TemporaryFolder

    /// Starts a subcommand with its flags.
    package init(_ command: String, _ flags: [String], in folder: TemporaryFolder) throws {
        (self.command, self.folder) = (command, folder)
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
        return Self.values(in: process.output)
    }

    /// Waits for its end and gives the nanoseconds of processor time that it printed.
    package func processorTime() async throws -> Int64 {
        guard let time = try await result()["nanoseconds"], time > 0 else {
            throw HarnessError("vigil-limits \(command) printed no time: \(process.output)")
        }
        return time
    }

    /// The `name=value` lines of a program's output; other lines are passed over.
    package static func values(in output: String) -> [String: Int64] {
        let pairs = output.split(separator: "\n").compactMap { line -> (String, Int64)? in
            let parts = line.split(separator: "=")
            guard parts.count == 2, let value = Int64(parts[1]) else { return nil }
            return (String(parts[0]), value)
        }
        return Dictionary(pairs) { $1 }
    }

    /// Indicates whether it has ended.
    package var hasEnded: Bool { process.hasEnded }

    /// Sends it a signal.
    package func signal(_ number: Int32) { process.signal(number) }
}

/// The package's executables, as the build left them beside the one that runs.
package enum BuiltCommand {
    /// The path of an executable; throws where the build did not make it.
    package static func path(_ name: String) throws -> String {
        let folder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let candidates = [folder, URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()]
        guard let found = candidates.map({ $0.appending(path: name).path }).first(where: FileManager.default.isExecutableFile) else {
            throw HarnessError("\(name) is not built beside \(folder.path)")
        }
        return found
    }
}

/// An obstacle to a benchmark or a fault run, or its finding.
package struct HarnessError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
