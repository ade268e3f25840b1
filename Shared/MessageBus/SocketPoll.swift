import CMosquitto
import Glibc
import Synchronization

/// Waits for a socket and a wake-up at once.
@safe enum SocketPoll {
    struct Ready {
        let isReadable: Bool
        let isWritable: Bool
        /// The other side closed, or the connection failed. What came before may still be readable.
        let isBroken: Bool
    }

    /// Returns at the latest after the timeout, and takes the wake-up's signal.
    static func wait(socket: Int32, read: Bool, write: Bool, wakeUp: WakeUp, timeout: Duration) -> Ready {
        let events = (read ? POLLIN : 0) | (write ? POLLOUT : 0) | rdhup
        var descriptors = [
            pollfd(fd: socket, events: Int16(events), revents: 0), pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        _ = unsafe poll(&descriptors, 2, timeout.milliseconds)
        if descriptors[1].revents != 0 { wakeUp.clear() }
        let found = Int32(descriptors[0].revents)
        return Ready(
            isReadable: found & Int32(POLLIN) != 0, isWritable: found & Int32(POLLOUT) != 0,
            isBroken: found & (Int32(POLLERR) | Int32(POLLHUP) | Int32(POLLNVAL) | Int32(rdhup)) != 0)
    }

    /// Returns whether there is something to read now.
    static func isReadable(_ socket: Int32) -> Bool {
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&descriptor, 1, 0) > 0 && Int32(descriptor.revents) & Int32(POLLIN) != 0
    }

    /// Reads and forgets until the other side hangs up, or the time is over.
    static func discard(from socket: Int32, within limit: Duration) {
        let deadline = ContinuousClock.now + limit
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        while case let left = deadline - .now, left > .zero, unsafe poll(&descriptor, 1, left.milliseconds) > 0 {
            guard unsafe recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT)) > 0 else { return }
        }
    }

    /// The error that a connecting socket ended with, 0 for none.
    static func pendingError(_ socket: Int32) -> Int32 {
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : EBADF
    }

    /// `POLLRDHUP`, which glibc shows only with `_GNU_SOURCE`.
    private static let rdhup: Int32 = 0x2000
}

extension Duration {
    /// For `poll`: rounded up, at least 0.
    var milliseconds: Int32 {
        let (seconds, attoseconds) = components
        let rounded = seconds.multipliedReportingOverflow(by: 1_000)
        guard !rounded.overflow else { return seconds < 0 ? 0 : .max }
        return max(0, Int32(clamping: rounded.partialValue + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}

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
