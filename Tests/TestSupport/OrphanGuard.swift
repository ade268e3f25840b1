import Foundation
import Synchronization

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
