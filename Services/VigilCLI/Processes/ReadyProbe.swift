import Foundation
import HTTPClient
import ServiceKit
import Settings

/// Waits until something is ready.
struct ReadyProbe: Sendable {
    let deadline: Duration

    /// Looks again every 50 ms until the condition holds.
    /// - Throws: `CommandError` when it does not within the deadline.
    func wait(_ what: String, until condition: @Sendable () async -> Bool) async throws {
        let clock = ContinuousClock()
        let end = clock.now + deadline
        while await !condition() {
            guard clock.now < end else { throw CommandError(.unavailable, "\(what) was not ready within \(deadline)") }
            try await clock.sleep(for: .milliseconds(50))
        }
    }

    /// Indicates whether the service with that health port says that it is ready.
    static func isReady(_ port: Int) async -> Bool {
        guard LoopbackSocket.answers(port) else { return false }
        let client = HTTPClient()
        return (try? await client.get("http://127.0.0.1:\(port)/readyz"))?.isSuccess ?? false
    }
}

/// TCP ports of this machine.
enum LoopbackSocket {
    /// Indicates whether something answers at the port.
    static func answers(_ port: Int) -> Bool { attempt(port) { connect($0, $1, $2) == 0 } }

    /// Indicates whether a program could listen on the port now.
    static func isFree(_ port: Int) -> Bool {
        attempt(port) { descriptor, address, length in
            var yes: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
            return bind(descriptor, address, length) == 0
        }
    }

    private static func attempt(_ port: Int, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(clamping: port)).bigEndian
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
