import Foundation
import Glibc
import SuiteHarness
import Synchronization

/// Viewers of live events on one thread: connections to `/api/v1/live` whose every line is read, and some from which nothing is.
final class EventStreams: Sendable {
    private struct State {
        var bytes: [Int] = []
        /// The times at which values of watched participants came, by participant.
        var arrivals: [String: Int64] = [:]
        var isOver = false
    }

    private let state: Mutex<State>
    private let sockets: [Int32]
    private let frozen: [Int32]

    /// Opens the connections.
    /// - Parameters:
    ///   - waves: each viewer's participant whose waveforms are wanted; nil for numbers alone.
    ///   - frozen: viewers beside them that read nothing.
    init(port: UInt16, token: String, waves: [String?], frozen count: Int = 0) throws {
        sockets = try waves.map { try Self.connection(port, token, waves: $0) }
        frozen = try (0..<count).map { try Self.connection(port, token, waves: waves[$0 % waves.count]) }
        state = Mutex(State(bytes: Array(repeating: 0, count: waves.count)))
    }

    /// Bytes received, by viewer.
    var bytes: [Int] { state.withLock { $0.bytes } }
    var arrivals: [String: Int64] { state.withLock { $0.arrivals } }

    /// Reads on a thread of its own until `stop`.
    func start() { Thread.detachNewThread { self.read() } }

    /// Ends the reading and closes everything.
    func stop() { state.withLock { $0.isOver = true } }

    private func read() {
        var polled = sockets.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        while !state.withLock({ $0.isOver }) {
            guard poll(&polled, nfds_t(polled.count), 100) > 0 else { continue }
            let now = MonotonicTime.now
            for index in polled.indices where polled[index].revents != 0 {
                let count = recv(polled[index].fd, &buffer, buffer.count, 0)
                guard count > 0 else {
                    polled[index].fd = -1
                    continue
                }
                let names = Self.participants(buffer[..<count])
                state.withLock { state in
                    state.bytes[index] += count
                    for name in names where state.arrivals[name] == nil { state.arrivals[name] = now }
                }
            }
        }
        for socket in sockets + frozen { close(socket) }
    }

    /// The participants called `probe-…` of whom a piece tells.
    private static func participants(_ bytes: ArraySlice<UInt8>) -> [String] {
        let mark = Array("\"p\":\"probe-".utf8)
        var names: [String] = []
        var rest = bytes
        while let start = rest.firstRange(of: mark) {
            let name = rest[(start.upperBound - 6)...].prefix { $0 != UInt8(ascii: "\"") }
            names.append(String(decoding: name, as: UTF8.self))
            rest = rest[start.upperBound...]
        }
        return names
    }

    /// HTTP/1.0: the events come as they are, without chunks between.
    private static func connection(_ port: UInt16, _ token: String, waves: String?) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard descriptor >= 0, isConnected else { throw HarnessError("no connection to the dashboard") }
        let path = "/api/v1/live" + (waves.map { "?waves=\($0)" } ?? "")
        let request = Array("GET \(path) HTTP/1.0\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw HarnessError("the dashboard has hung up")
        }
        return descriptor
    }
}
