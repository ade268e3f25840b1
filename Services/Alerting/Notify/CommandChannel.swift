import Foundation
import Glibc
import ServiceKit

/// Runs a program with the notification as JSON on its standard input; exit code 0 means delivered.
///
/// The program leads a process group of its own. After the time limit the whole group gets SIGTERM and, two seconds
/// later, SIGKILL.
package struct CommandChannel: NotificationChannel {
    private static let grace = Duration.seconds(2)
    private let arguments: [String]
    private let timeout: Duration
    private let clock: any Clock<Duration>

    /// - Parameter arguments: the program's path and its arguments; no shell is used.
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
        let child = try spawn(input)
        if let status = await exit(of: child, within: timeout) { return try check(status) }
        kill(-child, SIGTERM)
        let status = await exit(of: child, within: Self.grace)
        // Also the processes that it has left behind.
        kill(-child, SIGKILL)
        if status == nil {
            var ignored: Int32 = 0
            waitpid(child, &ignored, 0)
        }
        throw ChannelError("\(arguments[0]) did not end within \(timeout.components.seconds) s")
    }

    private func check(_ status: Int32) throws(ChannelError) {
        guard status & 0x7F == 0 else { throw ChannelError("\(arguments[0]) was ended by signal \(status & 0x7F)") }
        let code = status >> 8 & 0xFF
        guard code == 0 else { throw ChannelError("\(arguments[0]) ended with \(code)") }
    }

    /// An anonymous file at its beginning, which unlike a pipe needs no writer. In memory if possible, because the disk
    /// may be full.
    private static func file(holding bytes: [UInt8]) throws(ChannelError) -> Int32 {
        let folders = ["/dev/shm", FileManager.default.temporaryDirectory.path]
        for folder in folders {
            var template = Array("\(folder)/vigil-XXXXXX".utf8CString)
            let descriptor = mkstemp(&template)
            guard descriptor >= 0 else { continue }
            unlink(template)
            if write(descriptor, bytes, bytes.count) == bytes.count, lseek(descriptor, 0, SEEK_SET) == 0 { return descriptor }
            close(descriptor)
        }
        throw ChannelError("no temporary file could be written")
    }

    private func spawn(_ input: Int32) throws(ChannelError) -> pid_t {
        var launch = ProgramLaunch(arguments)
        (launch.input, launch.output, launch.errors) = (.descriptor(input), .appending("/dev/null"), .appending("/dev/null"))
        launch.hasOwnGroup = true
        do { return try launch.start() } catch { throw ChannelError("\(error)") }
    }

    /// The exit status of the child; nil: it did not end in time, or the task was cancelled.
    private func exit(of child: pid_t, within limit: Duration) async -> Int32? {
        var status: Int32 = 0
        var interval = Duration.milliseconds(2)
        var waited = Duration.zero
        while waitpid(child, &status, WNOHANG) == 0 {
            guard waited < limit else { return nil }
            do { try await clock.sleep(for: interval) } catch { return nil }
            waited += interval
            interval = min(interval * 2, .milliseconds(50))
        }
        return status
    }
}
