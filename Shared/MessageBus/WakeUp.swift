import CMosquitto
import Synchronization

/// Wakes a thread that waits in `poll`. Any thread may signal; a signal before the wait is not lost.
@safe final class WakeUp: Sendable {
    /// For `poll`, readable while a signal is pending; -1 when the system refused it.
    let descriptor: Int32
    private let isPending = Atomic(false)

    init() {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Lets the wait return. Further signals before it does cost no system call.
    func signal() {
        guard !isPending.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var one: UInt64 = 1
        _ = unsafe write(descriptor, &one, 8)
    }

    /// Takes what was signalled. Called by the waiting thread before it looks at the state that the signal stands for.
    func clear() {
        var count: UInt64 = 0
        _ = unsafe read(descriptor, &count, 8)
        isPending.store(false, ordering: .sequentiallyConsistent)
    }
}
