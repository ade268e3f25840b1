import Glibc

/// Nanoseconds of CLOCK_MONOTONIC, which all processes of a machine share: a time taken in one can be compared in another.
package enum MonotonicTime {
    package static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
