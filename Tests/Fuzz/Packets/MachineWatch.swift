import Foundation
import Synchronization

/// Notes for how long this process was not let run: a thread of its own looks at the clock every few milliseconds.
final class MachineWatch: Sendable {
    private static let (pause, tolerance) = (Duration.milliseconds(10), Duration.milliseconds(200))
    private let total = Mutex(Duration.zero)

    init() {
        let thread = Thread { [weak self] in
            var last = ContinuousClock.now
            while self != nil {
                usleep(10_000)
                let now = ContinuousClock.now
                self?.note(now - last - Self.pause)
                last = now
            }
        }
        thread.start()
    }

    /// The time that was lost so far.
    var standstill: Duration { total.withLock { $0 } }

    private func note(_ late: Duration) {
        guard late > Self.tolerance else { return }
        total.withLock { $0 += late }
    }
}
