import Foundation
import Synchronization

/// A listener that lets some connections in, waits for what they say first, and hangs up on each without a word: a server that is just being stopped.
/// After the last one nobody listens there any more.
package final class RevolvingDoor: Sendable {
    /// How it hangs up.
    package enum GracefulDisconnect: Sendable, CaseIterable {
        /// The end of the stream.
        case end
        /// A reset of the connection, as of a process that was killed with something unread.
        case reset
    }

    private let closed = Mutex(false)

    /// Listens at a loopback port.
    package init(at port: UInt16, turningAway limit: Int, by farewell: GracefulDisconnect) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var (yes, address) = (Int32(1), LoopbackPort.address(port))
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        guard code == 0, listen(listener, 1) == 0 else {
            close(listener)
            throw NeverHappened(description: "the revolving door cannot listen at \(port)")
        }
        Thread.detachNewThread { [self] in
            for _ in 0..<limit { turnAway(accept(listener, nil, nil), by: farewell) }
            close(listener)
            closed.withLock { $0 = true }
        }
    }

    /// A Boolean value that indicates whether everybody was turned away, and the port is free for somebody else.
    package var isClosed: Bool { closed.withLock { $0 } }

    private func turnAway(_ connection: Int32, by farewell: GracefulDisconnect) {
        var byte: UInt8 = 0
        _ = recv(connection, &byte, 1, 0)
        if farewell == .reset {
            var now = linger(l_onoff: 1, l_linger: 0)
            setsockopt(connection, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        } else {
            // What is left unread would make a reset of it.
            var rest = [UInt8](repeating: 0, count: 4_096)
            _ = recv(connection, &rest, rest.count, Int32(MSG_DONTWAIT))
        }
        close(connection)
    }
}
