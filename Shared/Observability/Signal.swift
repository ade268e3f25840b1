import Synchronization

/// A wish to be looked at: any number of signals until the next look are one. Signalled from anywhere; one task waits.
package final class Signal: Sendable {
    // The latch is replaced, not the function: see `ConnectionMonitor.Actions`.
    private let latch = Mutex(Latch())

    package init() {}

    /// Wakes who waits, or has the next wait return at once.
    package func signal() { latch.withLock { $0 }.open() }

    /// Returns after the next signal, or one that came since the last call, at the latest after `pause`, or when the task is cancelled.
    package func wait(atMost pause: Duration? = nil, clock: any Clock<Duration> = ContinuousClock()) async {
        let awaited = latch.withLock { $0 }
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await awaited.wait() }
            // Cancelled with the group: nothing of it matters any more.
            if let pause { tasks.addTask { try? await clock.sleep(for: pause) } }
            await tasks.next()
            tasks.cancelAll()
        }
        latch.withLock { latch in
            if latch.isOpen { latch = Latch() }
        }
    }
}
