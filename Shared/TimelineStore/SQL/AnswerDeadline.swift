import Dispatch
import Glibc
import Synchronization

/// A second handle on a connection's socket, by which another thread can end what waits at it.
///
/// The socket stays the same one until this goes, also where the connection has closed its own handle: a number that the system has given to
/// another file meanwhile is never meant.
package final class SocketInterrupter: Sendable {
    private let descriptor: Int32

    /// - Parameter socket: the connection's own handle.
    init?(_ socket: Int32) {
        descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// Breaks the connection: whoever waits for its other end is told that it has gone.
    func interrupt() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
}

/// The time within which a database has to answer, for a connection that may wait at one that answers nothing: its process is frozen, while its
/// machine goes on to confirm what arrives.
///
/// When the time is over the connection is broken, so that what waits at it fails as if the database had gone, and is tried again over a new
/// one. After each such failure in a row the time is doubled, up to 32 times: a database that is only slow is not asked the same in vain for ever.
/// Threading: `begin` and `end` belong to the connection's thread.
final class AnswerDeadline: Sendable {
    private struct State {
        var ends: ContinuousClock.Instant?
        var interrupter: SocketInterrupter?
        /// The moment of the next look; nil: none is coming.
        var looks: ContinuousClock.Instant?
        var hasPassed = false
        var misses = 0
    }

    private let mostDoublings: Int
    private let state = Mutex(State())

    /// - Parameter mostDoublings: the doublings after failures in a row; none where it is better to ask again soon than to wait longer.
    init(mostDoublings: Int = 5) { self.mostDoublings = mostDoublings }

    /// Begins to wait for an answer.
    /// - Parameter limit: the time that it may take; nil: as long as it likes.
    func begin(_ limit: Duration?, _ interrupter: SocketInterrupter?) {
        guard let limit, let interrupter else { return }
        state.withLock { state in
            let ends = ContinuousClock.now + limit * (1 << min(state.misses, mostDoublings))
            (state.ends, state.interrupter, state.hasPassed) = (ends, interrupter, false)
            if state.looks.map({ $0 > ends }) ?? true { look(at: ends, &state) }
        }
    }

    /// Ends the waiting.
    /// - Parameter isDone: whether everything was done that was asked: then the next has the plain limit again.
    /// - Returns: whether the time was over, and the connection broken.
    @discardableResult
    func end(isDone: Bool) -> Bool {
        state.withLock { state in
            guard state.ends != nil else { return false }
            (state.ends, state.interrupter) = (nil, nil)
            if state.hasPassed { state.misses += 1 } else if isDone { state.misses = 0 }
            return state.hasPassed
        }
    }

    private func look(at moment: ContinuousClock.Instant, _ state: inout State) {
        state.looks = moment
        let wait = ContinuousClock.now.duration(to: moment)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(max(1, Int(wait / .milliseconds(1)) + 1))) { self.look() }
    }

    /// Interrupts under the lock, so that what is asked next is never meant.
    private func look() {
        state.withLock { state in
            state.looks = nil
            guard let ends = state.ends, !state.hasPassed else { return }
            guard ends <= .now else { return look(at: ends, &state) }
            state.hasPassed = true
            state.interrupter?.interrupt()
        }
    }
}
