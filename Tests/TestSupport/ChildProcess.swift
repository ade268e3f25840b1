import Foundation
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
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        if let errors {
            posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        } else {
            posix_spawn_file_actions_adddup2(&actions, 1, 2)
        }
        // What else is open here is none of its business: a socket that it held open would never be seen to close.
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        for descriptor in open.compactMap({ Int32($0) }) where descriptor > 2 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var pid: pid_t = 0
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        // A child would inherit what Swift's threads block and what this process ignores: it could not be asked to end.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let own = (environment ?? [:]).merging(Self.sanitizerOptions) { given, _ in given }
        var variables: [UnsafeMutablePointer<CChar>?] = own.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for variable in variables { free(variable) } }
        let code = variables.withUnsafeMutableBufferPointer { variables in
            posix_spawn(&pid, program, &actions, &attributes, &words, environment == nil ? environ : variables.baseAddress)
        }
        guard code == 0 else { throw Failure(description: "\(program): \(String(cString: strerror(code)))") }
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

/// A shell beside this process that lives just long enough to end the programs that it leaves behind when it is killed: a broker
/// without its test would run, and write its queue to disk every second, until somebody notices.
///
/// It reads their process numbers from a pipe, whose end says that this process is going: Linux closes its files before its children get
/// another parent, so that is waited for.
enum OrphanGuard {
    private static let script = """
        trap '' INT TERM HUP
        while read -r pid; do pids="$pids $pid"; done
        for pid in $pids; do
            while grep -qs "^PPid:[[:space:]]*$PPID\\$" "/proc/$pid/status"; do sleep 0.05; done
            if grep -qs '^PPid:[[:space:]]*1$' "/proc/$pid/status"; then kill -9 "$pid"; fi
        done
        """

    private static let pipe = Mutex(start())

    /// Ends the program with this process, whatever ends this one.
    static func watch(_ processID: Int32) {
        // Without a guard the program is still ended by an orderly end.
        pipe.withLock { try? $0?.write(contentsOf: Data("\(processID)\n".utf8)) }
    }

    private static func start() -> FileHandle? {
        let pipe = Pipe(), shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", script]
        shell.standardInput = pipe
        shell.standardOutput = FileHandle.nullDevice
        shell.standardError = FileHandle.nullDevice
        let end = pipe.fileHandleForWriting
        // A child that held this end would hide this process's own.
        guard fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC) == 0, (try? shell.run()) != nil else { return nil }
        return end
    }
}

/// The executables of this package as the build left them, beside the test bundle.
package enum BuiltProgram {
    /// The executable's path.
    package static func path(_ name: String) -> String {
        URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent().appending(path: name).path
    }
}
