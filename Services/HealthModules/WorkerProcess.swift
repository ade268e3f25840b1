import Foundation

/// A worker as a child process: requests go to its standard input, replies come from its standard output, each within a time.
///
/// Threading: one request at a time, from a thread that may wait. The child ends with this value, and, as its standard input ends then, with
/// this process. Unchecked, as its evaluator uses it on one serial queue alone.
final class WorkerProcess: @unchecked Sendable {
    private let identifier: Int32
    private let input: Int32
    private let output: Int32
    private var buffer: [UInt8] = []
    private(set) var hasEnded = false

    /// The program and arguments of a worker.
    struct Launch: Sendable {
        let program: String
        let arguments: [String]

        /// This very program with its subcommand `worker`, however the program itself was called.
        static func own(service: String, stateFile: String, memory: Int) -> Launch {
            let own = CommandLine.arguments
            // `vigil service vigil-modules …` is one way to call it, `vigil-modules …` the other.
            let isTool = own.count > 2 && own[1] == "service" && own[2] == service
            return Launch(
                program: "/proc/self/exe",
                arguments: [own.first ?? service] + (isTool ? ["service", service] : [])
                    + ["worker", "--state-file=\(stateFile)", "--memory-limit=\(memory)"])
        }
    }

    init(_ launch: Launch) throws(WorkerFailure) {
        var (toChild, fromChild): ([Int32], [Int32]) = ([0, 0], [0, 0])
        guard pipe(&toChild) == 0 else { throw .notStarted(String(cString: strerror(errno))) }
        guard pipe(&fromChild) == 0 else {
            let reason = String(cString: strerror(errno))
            toChild.forEach { close($0) }
            throw .notStarted(reason)
        }
        // Nothing else in this process starts programs.
        for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (pid, code) = Self.spawn(launch, input: toChild[0], output: fromChild[1])
        close(toChild[0])
        close(fromChild[1])
        (identifier, input, output) = (pid, toChild[1], fromChild[0])
        guard code == 0 else {
            close(input)
            close(output)
            hasEnded = true
            throw .notStarted(String(cString: strerror(code)))
        }
    }

    deinit {
        guard !hasEnded else { return }
        end()
    }

    private static func spawn(_ launch: Launch, input: Int32, output: Int32) -> (pid: Int32, code: Int32) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        // A trap's backtrace may show values, which do not belong in a log.
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        // A group of its own: Ctrl-C is for the host, which then ends the worker.
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var words: [UnsafeMutablePointer<CChar>?] = launch.arguments.map { strdup($0) } + [nil]
        let inherited = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("VIGIL_") }
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        var variables: [UnsafeMutablePointer<CChar>?] = inherited.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for word in words + variables { free(word) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, launch.program, &actions, &attributes, &words, &variables)
        return (pid, code)
    }

    /// Sends a line.
    func send(_ line: [UInt8]) throws(WorkerFailure) {
        var rest = (line + [UInt8(ascii: "\n")])[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .gone(end() ?? "the worker takes nothing any more") }
            rest = rest.dropFirst(count)
        }
    }

    /// The next line that it sends before the deadline; past it, it is ended.
    func receive(until deadline: ContinuousClock.Instant) throws(WorkerFailure) -> [UInt8] {
        while true {
            if let place = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeFirst(place + 1) }
                return Array(buffer[..<place])
            }
            guard buffer.count <= 2 * ModuleEvaluator.largestResult else { throw .gone(end("it said more than is allowed")) }
            try fill(until: deadline)
        }
    }

    private func fill(until deadline: ContinuousClock.Instant) throws(WorkerFailure) {
        let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
        guard left > 0 else { throw .gone(end("it took too long")) }
        var descriptor = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        let ready = poll(&descriptor, 1, Int32(min(left.rounded(.up), 60_000)))
        if ready == 0 || (ready < 0 && errno == EINTR) { return }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = bytes.withUnsafeMutableBytes { read(output, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { return }
        guard count > 0 else { throw .gone(end() ?? "the worker ended") }
        buffer += bytes[..<count]
    }

    private func end(_ reason: String) -> String {
        _ = end()
        return reason
    }

    /// Ends it; in words what had ended it before.
    @discardableResult
    func end() -> String? {
        guard !hasEnded else { return nil }
        hasEnded = true
        close(input)
        close(output)
        // It may just be ending by itself, as after a trap: then how it ended is worth knowing.
        var status: Int32 = 0
        for _ in 0..<50 {
            if waitpid(identifier, &status, WNOHANG) == identifier { return Self.words(status) }
            usleep(1000)
        }
        kill(identifier, SIGKILL)
        while waitpid(identifier, &status, 0) == -1, errno == EINTR {}
        return nil
    }

    private static func words(_ status: Int32) -> String {
        let signal = status & 0x7F
        return signal == 0 ? "it ended with \(status >> 8 & 0xFF)" : "it trapped (signal \(signal))"
    }
}
