import Foundation
import Glibc

/// The memory and files of a process, as Linux counts them.
package struct ProcessUsage: Sendable {
    /// Resident memory now, in bytes.
    package let resident: Int
    /// The most resident memory so far, in bytes.
    package let peak: Int
    /// Processor time so far, of all its threads, in seconds.
    package let processor: Double
    /// Open files.
    package let descriptors: Int

    /// Nil once the process is gone.
    package init?(processID: Int32) {
        guard let status = try? String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8),
            let stat = try? String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8),
            let resident = Self.kilobytes("VmRSS", in: status), let peak = Self.kilobytes("VmHWM", in: status)
        else { return nil }
        self.resident = resident * 1024
        self.peak = peak * 1024
        // The command's name, in parentheses, may hold blanks; user and system time are the 12th and 13th field after it.
        let fields = stat.drop { $0 != ")" }.split(separator: " ")
        let ticks = [12, 13].compactMap { $0 < fields.count ? Double(fields[$0]) : nil }.reduce(0, +)
        processor = ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
        descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/fd").count) ?? 0
    }

    private static func kilobytes(_ name: String, in status: String) -> Int? {
        status.split(separator: "\n").first { $0.hasPrefix("\(name):") }?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }
}

/// Nanoseconds that the calling thread has had of a processor: for work on one thread, which other processes then cannot disturb much.
package enum ProcessorTime {
    package static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// Nanoseconds of CLOCK_MONOTONIC, which all processes of a machine share: a time taken in one can be compared in another.
package enum MonotonicTime {
    package static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
