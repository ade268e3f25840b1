import Foundation
import ServiceKit
import Synchronization

/// A program started by a test, its output in files. Killed with this value's last reference if it still runs, or with this process.
package final class ChildProcess: Sendable {
    /// The program could not be started, or ended other than expected.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package let processID: Int32
    private let exitStatus = Mutex<Int32?>(nil)
    private let outputPath: String

    /// - Parameters:
    ///   - input: Path of the file that is its standard input.
    ///   - output: Path of the file that takes standard output and standard error.
    ///   - errors: Path of the file that takes standard error instead.
    ///   - environment: Replaces the inherited one, but for what deploy/sanitize says to the sanitizers.
    package init(
        _ program: String, _ arguments: [String] = [], input: String = "/dev/null", output: String, errors: String? = nil,
        environment: [String: String]? = nil
    ) throws {
        outputPath = output
        var launch = ProgramLaunch([program] + arguments)
        (launch.input, launch.output) = (.reading(input), .appending(output))
        launch.errors = errors.map { .appending($0) } ?? .standardOutput
        launch.environment = environment.map { $0.merging(Self.sanitizerOptions) { given, _ in given } }
        let pid = try launch.start()
        processID = pid
        OrphanGuard.watch(pid)
    }

    deinit {
        if exitStatus.withLock({ $0 }) == nil {
            kill(processID, SIGKILL)
            var status: Int32 = 0
            waitpid(processID, &status, 0)
        }
    }

    private static let sanitizerOptions = ProcessInfo.processInfo.environment.filter { ["TSAN_OPTIONS", "ASAN_OPTIONS"].contains($0.key) }

    /// The output so far.
    package var output: String { (try? String(contentsOfFile: outputPath, encoding: .utf8)) ?? "" }

    package func signal(_ number: Int32) {
        guard exitStatus.withLock({ $0 }) == nil else { return }
        kill(processID, number)
    }

    /// Indicates whether it has ended.
    package var hasEnded: Bool {
        exitStatus.withLock { known in
            if known != nil { return true }
            var status: Int32 = 0
            guard waitpid(processID, &status, WNOHANG) == processID else { return false }
            known = status
            return true
        }
    }

    /// Waits for its end, and returns its exit code, or minus the number of the signal that ended it.
    @discardableResult
    package func waitForExit(within limit: Duration = .seconds(60)) async throws -> Int32 {
        try await eventually(within: limit, "the end of process \(processID)") { hasEnded }
        return code
    }

    /// Runs a program to its end in a thread that may wait, within a minute; returns what it wrote. Throws unless it ends with 0.
    @discardableResult
    package static func runBlocking(_ words: [String], input: String = "/dev/null", within limit: Duration = .seconds(120)) throws -> String
    {
        let output = FileManager.default.temporaryDirectory.appending(path: "vigil-printed-\(UUID().uuidString)").path
        defer { unlink(output) }
        let child = try ChildProcess("/usr/bin/env", words, input: input, output: output)
        let code = try child.waitBlocking(within: limit)
        guard code == 0 else { throw Failure(description: "\(words.joined(separator: " ")) ended with \(code): \(child.output)") }
        return child.output
    }

    /// Waits for its end in a thread that may wait, and kills it where it does not come in time; returns its exit code as `waitForExit` does.
    @discardableResult
    package func waitBlocking(within limit: Duration) throws -> Int32 {
        let deadline = ContinuousClock.now + limit
        while !hasEnded {
            guard ContinuousClock.now < deadline else {
                signal(SIGKILL)
                throw Failure(description: "process \(processID) did not end within \(limit)")
            }
            // A test process has no event loop of its own to be told by.
            usleep(2000)
        }
        return code
    }

    private var code: Int32 {
        let status = exitStatus.withLock { $0 } ?? 0
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
    }

    /// Runs a program to its end, and returns what it wrote. Throws unless it ends with 0.
    @discardableResult
    package static func run(_ program: String, _ arguments: [String], in folder: TemporaryFolder) async throws -> String {
        let child = try ChildProcess(program, arguments, output: folder.path("output-\(UUID().uuidString)"))
        let code = try await child.waitForExit()
        guard code == 0 else { throw Failure(description: "\(program) ended with \(code): \(child.output)") }
        return child.output
    }
}

/// The executables of this package as the build left them, beside the test bundle.
package enum BuiltProgram {
    /// The executable's path.
    package static func path(_ name: String) -> String {
        URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent().appending(path: name).path
    }
}
