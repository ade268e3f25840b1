import Foundation
import Glibc

/// One look at the machine's clocks, in microseconds.
package struct ClockSample: Hashable, Sendable {
    /// What the wall clock says: since 1970, and it may leap.
    package var wall: Int64
    /// Since the machine was started, also while it sleeps: it goes on evenly and never back.
    package var boot: Int64

    package init(wall: Int64, boot: Int64) {
        self.wall = wall
        self.boot = boot
    }

    package static var now: ClockSample {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return ClockSample(
            wall: Int64(Date().timeIntervalSince1970 * 1e6), boot: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }

    /// Tells one start of the machine from every other.
    package static var bootID: String {
        // Where the kernel does not say, every start of the service counts as another start of the machine.
        (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? UUID().uuidString
    }
}
