import Foundation
import Observability
import ServiceKit
import Settings
import Synchronization

/// A program that runs as a child of this process.
///
/// Its standard input is a pipe that ends with this process, so a child that watches it never outlives its parent. Its
/// standard output and error go to a file. Threading: callable from any task.
final class SupervisedProcess: Sendable {
    /// A program with its arguments, environment and log.
    struct Launch: Sendable {
        let program: String
        let arguments: [String]
        let environment: [String: String]
        /// The file for its output; appended to.
        let log: String
    }

    let identifier: Int32
    private let input: Pipe
    private let log: String
    private let ended = Latch()
    private let status = Mutex<Int32?>(nil)

    /// Starts it.
    init(_ launch: Launch) throws(ProcessError) {
        log = launch.log
        (identifier, input) = try Self.start(launch)
        // A thread for each child waits for its end. Not a dispatch source on a pipe: on Linux a cancelled source may
        // be freed while libdispatch still uses it, which crashes this process.
        Thread.detachNewThread { self.reap() }
    }

    /// Waits for its end; returns its exit code, or 128 plus the number of the signal that ended it. Nil if the task
    /// was cancelled before.
    func exit() async -> Int32? {
        await ended.wait()
        return status.withLock { $0 }
    }

    /// The last line of its output.
    var lastWords: String {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        return text.split(whereSeparator: \.isNewline).last.map(String.init) ?? "ended without a word"
    }

    /// Sends it a signal, unless it has ended.
    func signal(_ number: Int32) {
        status.withLock { status in
            if status == nil { kill(identifier, number) }
        }
    }

    private func reap() {
        // First without reaping it, because `signal` may be using its process id.
        var information = siginfo_t()
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
        status.withLock { status in
            var raw: Int32 = 0
            while waitpid(identifier, &raw, 0) == -1, errno == EINTR {}
            status = raw & 0x7F == 0 ? raw >> 8 & 0xFF : 128 + raw & 0x7F
        }
        ended.open()
    }

    private static func start(_ launch: Launch) throws(ProcessError) -> (identifier: Int32, input: Pipe) {
        let input = try Pipe()
        var program = ProgramLaunch([launch.program] + launch.arguments)
        (program.input, program.output, program.errors) = (.descriptor(input.readEnd), .appending(launch.log), .standardOutput)
        program.environment = launch.environment
        // Ctrl-C reaches this process only, which then stops its children in order.
        program.hasOwnGroup = true
        return (try program.started(), input)
    }
}

extension ProgramLaunch {
    /// Starts it; a failure has the exit code of an unavailable program.
    func started() throws(ProcessError) -> pid_t {
        do { return try start() } catch { throw ProcessError(program: error.program, number: error.number) }
    }
}

/// A pipe that no child inherits by itself. Both ends are closed with the last reference.
final class Pipe: Sendable {
    let readEnd: Int32
    let writeEnd: Int32

    init() throws(ProcessError) {
        do {
            (readEnd, writeEnd) = try ProgramLaunch.pipe()
        } catch {
            throw ProcessError(program: error.program, number: error.number)
        }
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }
}

/// A program could not be started.
struct ProcessError: Error, CustomStringConvertible, ExitCoded {
    let program: String
    /// The system's error number.
    let number: Int32

    var exitCode: ExitCode { .unavailable }
    var description: String { "\(program) could not be started: \(String(cString: strerror(number)))" }
}
