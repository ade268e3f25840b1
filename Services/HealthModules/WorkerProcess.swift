import Foundation
import ServiceKit

/// A worker as a child process: requests go to its standard input, replies come from its standard output within a time
/// limit.
///
/// Threading: one request at a time, from a thread that may block. The child ends with this value and, because its
/// standard input then ends, with this process. Unchecked, because its evaluator uses it on one serial queue only.
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

        /// This program with its subcommand `worker`, whatever its own name.
        static func own(service: String, stateFile: String, memory: Int) -> Launch {
            let own = CommandLine.arguments
            // It is called as `vigil service vigil-modules …` or `vigil-modules …`.
            let isTool = own.count > 2 && own[1] == "service" && own[2] == service
            return Launch(
                program: "/proc/self/exe",
                arguments: [own.first ?? service] + (isTool ? ["service", service] : [])
                    + ["worker", "--state-file=\(stateFile)", "--memory-limit=\(memory)"])
        }
    }

    init(_ launch: Launch) throws(WorkerFailure) {
        let toChild = try Self.pipe()
        let fromChild: (read: Int32, write: Int32)
        do {
            fromChild = try Self.pipe()
        } catch {
            close(toChild.read)
            close(toChild.write)
            throw error
        }
        (input, output) = (toChild.write, fromChild.read)
        defer {
            close(toChild.read)
            close(fromChild.write)
        }
        do {
            identifier = try Self.spawn(launch, input: toChild.read, output: fromChild.write)
        } catch {
            close(input)
            close(output)
            identifier = 0
            hasEnded = true
            throw .notStarted("\(error)")
        }
    }

    private static func pipe() throws(WorkerFailure) -> (read: Int32, write: Int32) {
        do { return try ProgramLaunch.pipe() } catch { throw .notStarted("\(error)") }
    }

    deinit {
        guard !hasEnded else { return }
        end()
    }

    private static func spawn(_ launch: Launch, input: Int32, output: Int32) throws(ProgramLaunch.Failure) -> pid_t {
        var program = ProgramLaunch(launch.arguments, program: launch.program)
        // A backtrace may show values, which must not be logged.
        (program.input, program.output, program.errors) = (.descriptor(input), .descriptor(output), .appending("/dev/null"))
        program.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("VIGIL_") }
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        // Ctrl-C is for the host, which then stops the worker.
        program.hasOwnGroup = true
        return try program.start()
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

    /// Reads the next line before the deadline; after it, the worker is stopped.
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

    /// Stops it, and returns in words how it had ended before.
    @discardableResult
    func end() -> String? {
        guard !hasEnded else { return nil }
        hasEnded = true
        close(input)
        close(output)
        // It may be ending by itself, for example after a crash, and the reason is worth waiting for. The thread
        // belongs to the evaluator.
        var status: Int32 = 0
        for _ in 0..<50 {
            if waitpid(identifier, &status, WNOHANG) == identifier { return Self.words(status) }
            usleep(1000)  // On the evaluator's own serial queue, at most 50 ms, and only where a worker has to be ended.
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
