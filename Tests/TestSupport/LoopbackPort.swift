import Foundation
import Synchronization

/// TCP ports on 127.0.0.1.
package enum LoopbackPort {
    /// Below the ports that the system gives to whoever connects, so that no connection of another test sits on one that was just chosen.
    private static let range = UInt16(10_000)..<32_000
    /// The next one to try; each process begins somewhere else.
    private static let next = Mutex(UInt16.random(in: range))

    /// The first of some ports in a row that nobody uses at the moment, and that this process has not given away before.
    package static func free(_ count: UInt16 = 1) throws -> UInt16 {
        try next.withLock { next in
            for _ in 0..<range.count {
                if next > range.upperBound - count { next = range.lowerBound }
                defer { next += count }
                if (next..<next + count).allSatisfy(isFree) { return next }
            }
            throw NeverHappened(description: "\(count) free ports in a row")
        }
    }

    /// Indicates whether a server could listen there.
    private static func isFree(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var (yes, address) = (Int32(1), self.address(port))
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 && listen(descriptor, 1) == 0
            }
        }
    }

    /// Indicates whether somebody takes connections on that port.
    package static func answers(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = self.address(port)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
