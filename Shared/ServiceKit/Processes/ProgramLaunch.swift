import Foundation
import Glibc

/// The start of another program, in the one way that is safe in a process with threads: it gets the files that it is given and no other,
/// and begins with no signal blocked or ignored, whatever its parent does.
///
/// A descriptor too many in a child keeps a socket or a pipe open that its owner has closed, and whoever waits for the end waits as long
/// as the child lives. So everything above standard error is closed in the child itself, where no other thread can open one meanwhile.
package struct ProgramLaunch: Sendable {
    /// The source of one of the program's standard files.
    package enum File: Sendable {
        case descriptor(Int32)
        case reading(String)
        case appending(String)
        /// Whatever standard output is.
        case standardOutput
    }

    /// The program could not be started.
    package struct Failure: Error, CustomStringConvertible {
        package let program: String
        package let number: Int32
        package var description: String { "\(program) cannot be started: \(unsafe String(cString: strerror(number)))" }
    }

    private let program: String
    private let words: [String]
    /// The whole environment; nil for this process's own.
    package var environment: [String: String]?
    /// The standard files; those left nil are this process's own.
    package var input: File?
    package var output: File?
    package var errors: File?
    /// Indicates whether it leads a process group of its own, which Ctrl-C on the terminal does not reach.
    package var hasOwnGroup = false

    /// - Parameters:
    ///   - words: The program's name and its arguments.
    ///   - program: Its path, by default its name. What has no slash is looked up on `PATH`.
    package init(_ words: [String], program: String? = nil) {
        self.words = words
        self.program = program ?? words.first ?? ""
    }

    /// Starts it.
    /// - Returns: its process identifier. The caller waits for its end.
    package func start() throws(Failure) -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (file, target) in [(input, 0), (output, 1), (errors, 2)] as [(File?, Int32)] { unsafe add(file, as: target, to: &actions) }
        for descriptor in 3..<Self.descriptorsInUse { unsafe posix_spawn_file_actions_addclose(&actions, descriptor) }
        var attributes = Self.attributes(hasOwnGroup: hasOwnGroup)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        var variables = unsafe (environment ?? [:]).map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
        var child: pid_t = 0
        let code = unsafe variables.withUnsafeMutableBufferPointer { variables in
            unsafe posix_spawnp(&child, program, &actions, &attributes, &arguments, environment == nil ? environ : variables.baseAddress)
        }
        guard code == 0 else { throw Failure(program: program, number: code) }
        return child
    }

    /// A pipe whose ends no program inherits that is not given them.
    package static func pipe() throws(Failure) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard unsafe Glibc.pipe(&ends) == 0 else { throw Failure(program: "pipe", number: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// More than the highest descriptor that is open, also should other threads open some meanwhile. To close one that is not open does no harm.
    private static var descriptorsInUse: Int32 {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return (names.compactMap { Int32($0) }.max() ?? 3) + 64
    }

    private func add(_ file: File?, as target: Int32, to actions: inout posix_spawn_file_actions_t) {
        switch file {
        case .descriptor(let source): unsafe posix_spawn_file_actions_adddup2(&actions, source, target)
        case .reading(let path): unsafe posix_spawn_file_actions_addopen(&actions, target, path, O_RDONLY, 0)
        case .appending(let path): unsafe posix_spawn_file_actions_addopen(&actions, target, path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        case .standardOutput: unsafe posix_spawn_file_actions_adddup2(&actions, 1, target)
        case nil: break
        }
    }

    private static func attributes(hasOwnGroup: Bool) -> posix_spawnattr_t {
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        var (none, all) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        let group = hasOwnGroup ? POSIX_SPAWN_SETPGROUP : 0
        unsafe posix_spawnattr_setflags(&attributes, Int16(group | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        return attributes
    }
}
