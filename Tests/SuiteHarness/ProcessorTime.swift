import Glibc

/// Nanoseconds that the calling thread has had of a processor: for work on one thread, which other processes then cannot disturb much.
package enum ProcessorTime {
    package static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
