import Foundation
import Glibc

/// Runs a program with the notification as JSON on its standard input; exit code 0 means delivered.
package struct CommandChannel: NotificationChannel {
    private let arguments: [String]
    private let timeout: Duration
    private let clock: any Clock<Duration>

    /// - Parameter arguments: the program's path and its arguments; no shell is involved.
    package init(arguments: [String], timeout: Duration = .seconds(30), clock: any Clock<Duration> = ContinuousClock()) {
        self.arguments = arguments
        self.timeout = timeout
        self.clock = clock
    }

    package func send(_ notification: Notification) async throws(ChannelError) {
        let input: Int32
        do {
            input = try Self.file(holding: try notification.encoded())
        } catch {
            throw ChannelError("the notification could not be handed over: \(error)")
        }
        defer { close(input) }
        let code = await wait(for: try spawn(input))
        guard code == 0 else { throw ChannelError("\(arguments[0]) ended with \(code)") }
    }

    /// A file without a name, at its beginning: unlike a pipe it needs nobody to feed it.
    private static func file(holding bytes: [UInt8]) throws(ChannelError) -> Int32 {
        var template = Array("\(FileManager.default.temporaryDirectory.path)/vigil-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw ChannelError("no temporary file") }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(template)
        guard write(descriptor, bytes, bytes.count) == bytes.count, lseek(descriptor, 0, SEEK_SET) == 0 else {
            close(descriptor)
            throw ChannelError("the temporary file could not be written")
        }
        return descriptor
    }

    private func spawn(_ input: Int32) throws(ChannelError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        let words = arguments.map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var child: pid_t = 0
        guard posix_spawn(&child, arguments[0], &actions, nil, words, environ) == 0 else {
            throw ChannelError("\(arguments[0]) cannot be started")
        }
        return child
    }

    /// The exit code; minus the number of the signal that ended it. A program that takes too long is killed.
    private func wait(for child: pid_t) async -> Int32 {
        var status: Int32 = 0
        let interval = Duration.milliseconds(20)
        var waited = Duration.zero
        while waitpid(child, &status, WNOHANG) == 0 {
            let isCancelled: Bool
            do {
                try await clock.sleep(for: interval)
                isCancelled = false
            } catch {
                isCancelled = true
            }
            waited += interval
            guard isCancelled || waited >= timeout else { continue }
            kill(child, SIGKILL)
            waitpid(child, &status, 0)
            break
        }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
    }
}
