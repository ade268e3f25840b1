import Foundation
import ServiceKit
import Synchronization

/// A shell beside this process that lives just long enough to end the programs that it leaves behind when it is killed: a broker
/// without its test would run, and write its queue to disk every second, until somebody notices.
///
/// It reads their process numbers from a pipe, whose end says that this process is going: Linux closes its files before its children get
/// another parent, so that is waited for.
package enum OrphanGuard {
    package static let script = """
        trap '' INT TERM HUP
        began() { stat=$(cat "/proc/$1/stat" 2>/dev/null) && set -- ${stat##*) } && echo "${20}"; }
        while read -r line; do lines="$lines $line"; done
        for line in $lines; do
            pid=${line%:*}
            while grep -qs "^PPid:[[:space:]]*$PPID\\$" "/proc/$pid/status"; do sleep 0.05; done
            if grep -qs '^PPid:[[:space:]]*1$' "/proc/$pid/status" && [ "$(began "$pid")" = "${line#*:}" ]; then kill -9 "$pid"; fi
        done
        """

    private static let pipe = Mutex(start())

    /// Ends the program with this process, whatever ends this one.
    static func watch(_ processID: Int32) {
        // Without a guard the program is still ended by an orderly end.
        let line = "\(processID):\(began(processID) ?? "")\n"
        pipe.withLock { try? $0?.write(contentsOf: Data(line.utf8)) }
    }

    /// When a process began, in the kernel's ticks. With it the process is known again: its number is another's soon, where many are started.
    package static func began(_ processID: Int32) -> String? {
        // The program's name, which may hold anything, stands in parentheses; the twentieth word after it is the time.
        let line = try? String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8)
        let words = line?.split(separator: ")").last?.split(separator: " ")
        return words.flatMap { $0.count > 19 ? String($0[19]) : nil }
    }

    private static func start() -> FileHandle? {
        guard let ends = try? ProgramLaunch.pipe() else { return nil }
        defer { close(ends.read) }
        var shell = ProgramLaunch(["/bin/sh", "-c", script])
        (shell.input, shell.output, shell.errors) = (.descriptor(ends.read), .appending("/dev/null"), .appending("/dev/null"))
        guard (try? shell.start()) != nil else {
            close(ends.write)
            return nil
        }
        return FileHandle(fileDescriptor: ends.write, closeOnDealloc: true)
    }
}
