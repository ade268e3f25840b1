import Foundation
import Synchronization
import TestSupport

/// A TCP proxy on a loopback port that breaks, stalls or delays what goes through it.
///
/// One thread carries all its connections. It holds at most 256 KiB a direction, so that a stall is felt by the sender.
package final class FaultyLink: Sendable {
    /// How it treats what comes.
    package enum Mode: Sendable, Hashable {
        case pass
        /// Connections break; new ones are accepted and closed.
        case cut
        /// Connections stay, and nothing comes through.
        case stall
        case delay(nanoseconds: Int64)
    }

    /// Where to connect to.
    package let port: UInt16
    private let target: UInt16
    private let mode = Mutex(Mode.pass)
    private let isClosed = Atomic<Bool>(false)

    /// Opens the port and starts the thread.
    package init(to target: UInt16) throws {
        self.target = target
        let listener = try LoopbackSocket.listener()
        port = listener.port
        let thread = Thread { [self] in
            var pump = FaultyLinkPump(listener: listener.descriptor, target: self.target)
            pump.run { self.current }
        }
        thread.start()
    }

    package func set(_ mode: Mode) { self.mode.withLock { $0 = mode } }

    /// Ends the thread and all connections.
    package func close() { isClosed.store(true, ordering: .relaxed) }

    private var current: Mode? { isClosed.load(ordering: .relaxed) ? nil : mode.withLock { $0 } }
}
