import Foundation
import SuiteHarness
import Synchronization
import TestSupport

/// A TCP proxy on a loopback port that breaks, stalls or delays what goes through it.
///
/// One thread carries all its connections. It holds at most 256 KiB a direction, so that a stall is felt by the sender.
package final class FaultyLink: Sendable {
    /// The treatment of what comes.
    package enum Mode: Sendable, Hashable {
        case pass
        /// Connections break; new ones are accepted and closed.
        case cut
        /// Connections stay, and nothing comes through.
        case stall
        case delay(nanoseconds: Int64)
    }

    /// The port to connect to.
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

/// The thread of a `FaultyLink`: owns its sockets, so needs no lock.
struct FaultyLinkPump {
    let listener: Int32
    let target: UInt16
    private var flows: [LinkFlow] = []

    init(listener: Int32, target: UInt16) {
        self.listener = listener
        self.target = target
    }

    /// Carries bytes until there is no mode any more.
    mutating func run(_ mode: () -> FaultyLink.Mode?) {
        while let mode = mode() {
            wait(mode)
            accept(mode)
            if mode == .cut { closeAll() }
            if mode != .stall { carry(mode) }
        }
        closeAll()
        close(listener)
    }

    /// At most 5 ms, so that a change of mode and what is due are seen in time.
    private func wait(_ mode: FaultyLink.Mode) {
        var sockets = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
        if mode != .stall {
            for flow in flows {
                let events = (flow.hasRoom ? Int16(POLLIN) : 0)
                sockets.append(pollfd(fd: flow.from, events: events, revents: 0))
            }
        }
        poll(&sockets, nfds_t(sockets.count), 5)
    }

    private mutating func accept(_ mode: FaultyLink.Mode) {
        while true {
            let descriptor = Foundation.accept(listener, nil, nil)
            guard descriptor >= 0 else { return }
            guard mode != .cut, let other = LoopbackSocket.connected(to: target) else {
                close(descriptor)
                continue
            }
            LoopbackSocket.prepare(descriptor)
            flows += [LinkFlow(from: descriptor, to: other), LinkFlow(from: other, to: descriptor)]
        }
    }

    private mutating func carry(_ mode: FaultyLink.Mode) {
        var delay: Int64 = 0
        if case .delay(let nanoseconds) = mode { delay = nanoseconds }
        let now = MonotonicTime.now
        var ended: Set<Int32> = []
        for index in flows.indices where !flows[index].carry(now: now, delay: delay) {
            ended.formUnion([flows[index].from, flows[index].to])
        }
        for descriptor in ended { close(descriptor) }
        flows.removeAll { ended.contains($0.from) }
    }

    private mutating func closeAll() {
        for descriptor in Set(flows.map(\.from)) { close(descriptor) }
        flows = []
    }
}

/// One direction of a proxied connection, with what waits to be sent on.
struct LinkFlow {
    let from: Int32
    let to: Int32
    private var waiting: [(due: Int64, bytes: ArraySlice<UInt8>)] = []
    private var held = 0

    init(from: Int32, to: Int32) {
        self.from = from
        self.to = to
    }

    /// Indicates whether more may be read.
    var hasRoom: Bool { held < 256 << 10 }

    /// Reads what there is and sends what is due; false once the connection has ended and everything is sent.
    mutating func carry(now: Int64, delay: Int64) -> Bool {
        let isOpen = receive(due: now + delay)
        return send(now) && (isOpen || !waiting.isEmpty)
    }

    private mutating func receive(due: Int64) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while hasRoom {
            let count = recv(from, &buffer, buffer.count, 0)
            if count == 0 { return false }
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            waiting.append((due, buffer[..<count]))
            held += count
        }
        return true
    }

    private mutating func send(_ now: Int64) -> Bool {
        while let first = waiting.first, first.due <= now {
            let count = first.bytes.withUnsafeBytes { Foundation.send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            held -= count
            if count == first.bytes.count { waiting.removeFirst() } else { waiting[0].bytes = first.bytes.dropFirst(count) }
        }
        return true
    }
}

/// Non-blocking TCP sockets on 127.0.0.1.
enum LoopbackSocket {
    /// A listening socket on a free port.
    static func listener() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        prepare(descriptor)
        var address = self.address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 64) == 0 ? getsockname(descriptor, $0, &size) : -1
            }
        }
        guard code == 0 else { throw HarnessError("no loopback port for a proxy: \(String(cString: strerror(errno)))") }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// A connection; nil where nobody listens.
    static func connected(to port: UInt16) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = self.address(port)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        guard code == 0 else {
            close(descriptor)
            return nil
        }
        prepare(descriptor)
        return descriptor
    }

    /// Non-blocking, without the delay for small packets, and not left to child processes: those would keep a closed connection open.
    static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
