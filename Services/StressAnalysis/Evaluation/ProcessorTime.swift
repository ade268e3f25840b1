import Foundation

/// What work costs a core, undisturbed by what else the machine does.
enum ProcessorTime {
    /// Seconds of processor time that this thread has used.
    static var now: Double { Double(clock_gettime_nsec()) / 1e9 }

    private static func clock_gettime_nsec() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Runs the work and says what it cost, in seconds.
    static func of(_ work: () throws -> Void) rethrows -> Double {
        let start = now
        try work()
        return now - start
    }
}
