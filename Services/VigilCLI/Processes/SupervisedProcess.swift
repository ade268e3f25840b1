import Foundation
import Observability
import Settings
import Synchronization

/// A program that runs as a child of this process.
///
/// Its standard input is a pipe that ends with this process, however that ends, so that a child that watches it never outlives
/// its parent; its standard output and error go to a file. Threading: from anywhere.
final class SupervisedProcess: Sendable {
    /// A program with its arguments, environment and log.
    struct Launch: Sendable {
        let program: String
        let arguments: [String]
        let environment: [String: String]
        /// The file that takes what it prints; appended to.
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
        // A thread for each child that waits for its end. Not a dispatch source on a pipe that ends with it: on Linux such a source may
        // be freed, once cancelled, while libdispatch still looks at it, and then this process crashes.
        Thread.detachNewThread { self.reap() }
    }

    /// Waits for its end; returns its exit code, or 128 plus the number of the signal that ended it. Nil when the task was
    /// cancelled before.
    func exit() async -> Int32? {
        await ended.wait()
        return status.withLock { $0 }
    }

    /// The last line that it has printed.
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
        // First without taking its number away, which `signal` may just be using.
        var information = siginfo_t()
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
        status.withLock { status in
            var raw: Int32 = 0
            while waitpid(identifier, &raw, 0) == -1, errno == EINTR {}
            status = raw & 0x7F == 0 ? raw >> 8 & 0xFF : 128 + raw & 0x7F
        }
        ended.open()
    }

    /// One start at a time, as between the making of a pipe and its closing on exec another start would pass it on.
    private static let starting = Mutex(())

    private static func start(_ launch: Launch) throws(ProcessError) -> (identifier: Int32, input: Pipe) {
        try starting.withLock { _ throws(ProcessError) in
            let input = try Pipe()
            return (try spawn(launch, input: input.readEnd), input)
        }
    }

    private static func spawn(_ launch: Launch, input: Int32) throws(ProcessError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_addopen(&actions, 1, launch.log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        detach(&attributes)
        var arguments = ([launch.program] + launch.arguments).map { strdup($0) } + [nil]
        var variables = launch.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, launch.program, &actions, &attributes, &arguments, &variables)
        guard code == 0 else { throw ProcessError(program: launch.program, number: code) }
        return identifier
    }

    /// A process group of its own, so that Ctrl-C reaches only this process, which then stops its children in order; and no
    /// signal ignored or blocked that this process ignores or blocks.
    private static func detach(_ attributes: inout posix_spawnattr_t) {
        freeSignals(&attributes, and: POSIX_SPAWN_SETPGROUP)
        posix_spawnattr_setpgroup(&attributes, 0)
    }

    /// Lets a program begin with no signal blocked or ignored.
    static func freeSignals(_ attributes: inout posix_spawnattr_t, and flags: Int32 = 0) {
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(flags | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    }
}

/// A pipe that no child inherits by itself. To be made only while no other thread starts a program. Both ends are closed with the last reference.
final class Pipe: Sendable {
    let readEnd: Int32
    let writeEnd: Int32

    init() throws(ProcessError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw ProcessError(program: "pipe", number: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        readEnd = ends[0]
        writeEnd = ends[1]
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
