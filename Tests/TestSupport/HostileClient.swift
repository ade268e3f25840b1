import Foundation
import Synchronization

/// A client on a raw socket that does what a test scripts: any CONNECT, any property, any bytes, acknowledgements that never come.
///
/// One thread reads what the broker sends and, unless told otherwise, acknowledges it. Safe to use from several tasks.
package final class HostileClient: Sendable {
    /// A PUBLISH of the broker.
    package struct Message: Sendable {
        package let topic: String
        package let payload: [UInt8]
        package let qos: UInt8
        package let isRetained: Bool
        package let identifier: UInt16
        /// The correlation data of an answer; empty without.
        package let correlation: [UInt8]

        /// The payload as text.
        package var text: String { String(decoding: payload, as: UTF8.self) }
    }

    /// The treatment of messages that the broker sends.
    package enum Acknowledgement: Sendable {
        case always
        /// They are read, and the broker waits for its PUBACK.
        case never
        /// Nothing is read from the socket any more.
        case neverReads
    }

    private struct State {
        var packets: [MQTTPacket] = []
        var messages: [Message] = []
        var acknowledgement = Acknowledgement.always
        var isOpen = true
        var identifier: UInt16 = 0
    }

    package let clientID: String
    package let version: UInt8
    private let socket: ClientSocket
    private let state = Mutex(State())

    /// Opens the socket and says nothing yet.
    package init(port: UInt16, clientID: String = "hostile-\(UUID().uuidString)", version: UInt8 = 5) throws {
        self.clientID = clientID
        self.version = version
        socket = try ClientSocket(port: port)
        let thread = Thread { [weak self, socket] in
            while let packet = socket.readPacket(), let acknowledgement = self?.take(packet) {
                guard acknowledgement == .neverReads else { continue }
                while self?.isReading == false { usleep(5_000) }
            }
            self?.state.withLock { $0.isOpen = false }
        }
        thread.start()
    }

    deinit { socket.hangUp() }

    /// Opens the socket, sends CONNECT and waits for the broker's consent.
    package static func connected(
        port: UInt16, clientID: String = "hostile-\(UUID().uuidString)", version: UInt8 = 5,
        _ change: (inout MQTTPacket.Connection) -> Void = { _ in }
    ) async throws -> HostileClient {
        let client = try HostileClient(port: port, clientID: clientID, version: version)
        guard try await client.connect(change) == 0 else { throw NeverHappened(description: "the broker's consent to \(clientID)") }
        return client
    }

    /// Sends CONNECT and returns the reason code of the answer; nil where the broker hung up instead.
    package func connect(_ change: (inout MQTTPacket.Connection) -> Void = { _ in }) async throws -> UInt8? {
        var connection = MQTTPacket.Connection(clientID: clientID, version: version)
        change(&connection)
        send(.connect(connection))
        return try await answer(.connectAcknowledgement)?.reason
    }

    /// Subscribes and returns the reason code of the last filter; nil where the broker hung up instead.
    @discardableResult
    package func subscribe(_ filters: String..., options: UInt8 = 1, properties: [MQTTProperty] = []) async throws -> UInt8? {
        let before = packets(.subscribeAcknowledgement).count
        send(.subscribe(filters, options: options, identifier: nextIdentifier(), properties: properties, version: version))
        return try await answer(.subscribeAcknowledgement, after: before)?.reason
    }

    /// Publishes and does not wait; returns the packet's identifier.
    @discardableResult
    package func publish(
        _ topic: String, _ payload: String, qos: UInt8 = 1, isRetained: Bool = false, properties: [MQTTProperty] = []
    ) -> UInt16 {
        let identifier = nextIdentifier()
        send(
            .publish(
                topic, Array(payload.utf8), qos: qos, identifier: identifier, isRetained: isRetained, properties: properties,
                version: version))
        return identifier
    }

    /// Waits until the broker has acknowledged the publishes with these identifiers; throws when it hung up instead.
    package func acknowledged(_ identifiers: [UInt16], within limit: Duration = .seconds(30)) async throws {
        let wanted = Set(identifiers)
        try await eventually(within: limit, "\(wanted.count) PUBACKs") {
            let got = packets(.publishAcknowledgement).map { UInt16($0.body[0]) << 8 | UInt16($0.body[1]) }
            if wanted.isSubset(of: got) { return true }
            guard isOpen else { throw NeverHappened(description: "the PUBACKs: the broker hung up") }
            return false
        }
    }

    /// Sends a packet, right or wrong.
    package func send(_ packet: MQTTPacket) { send(bytes: packet.bytes) }

    /// Sends bytes as they are; what a closed connection does not take is lost.
    package func send(bytes: [UInt8]) { socket.send(bytes) }

    /// Breaks the connection without DISCONNECT, so that the broker publishes the will.
    package func hangUp() { socket.hangUp() }

    /// Chooses what becomes of messages from now on.
    package func set(_ acknowledgement: Acknowledgement) { state.withLock { $0.acknowledgement = acknowledgement } }

    /// Indicates whether the broker still holds the connection.
    package var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Everything that the broker sent.
    package var packets: [MQTTPacket] { state.withLock { $0.packets } }

    /// The messages that the broker sent.
    package var messages: [Message] { state.withLock { $0.messages } }

    /// The messages that the broker sent since this was asked last, which are kept no longer.
    package func takeMessages() -> [Message] {
        state.withLock { state in
            defer { state.messages = [] }
            return state.messages
        }
    }

    /// The packets of a kind.
    package func packets(_ kind: MQTTPacket.Kind) -> [MQTTPacket] { packets.filter { $0.kind == kind } }

    /// The code by which the broker ended the connection; nil where it said nothing.
    package var disconnectReason: UInt8? { packets(.disconnect).last?.reason }

    /// A packet identifier that was not used lately.
    package func nextIdentifier() -> UInt16 {
        state.withLock { state in
            state.identifier = state.identifier == .max ? 1 : state.identifier + 1
            return state.identifier
        }
    }

    private func answer(_ kind: MQTTPacket.Kind, after before: Int = 0) async throws -> MQTTPacket? {
        try await eventually("an answer of the broker") { packets(kind).count > before || !isOpen }
        return packets(kind).dropFirst(before).first
    }

    private var isReading: Bool { state.withLock { $0.acknowledgement != .neverReads } }

    /// Keeps a packet and acknowledges it where that is wanted; returns what becomes of the next.
    private func take(_ packet: MQTTPacket) -> Acknowledgement {
        let message = packet.kind == .publish ? Message(packet, version: version) : nil
        let acknowledgement = state.withLock { state in
            if let message { state.messages.append(message) } else { state.packets.append(packet) }
            return state.acknowledgement
        }
        if let message, message.qos == 1, acknowledgement == .always { send(.acknowledge(message.identifier, version: version)) }
        return acknowledgement
    }
}

/// A blocking TCP connection to a loopback port, closed with its last reference.
private final class ClientSocket: Sendable {
    private let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = LoopbackPort.address(port)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        guard code == 0 else { throw NeverHappened(description: "a connection to port \(port): \(String(cString: strerror(errno)))") }
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        // Tests send from threads that others need: a peer that takes nothing must not keep one for ever.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit { close(descriptor) }

    func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// The next packet; nil once the connection has ended.
    func readPacket() -> MQTTPacket? {
        guard let first = read(1)?.first else { return nil }
        var (length, shift) = (0, 0)
        while let byte = read(1)?.first {
            length |= Int(byte & 0x7F) << shift
            shift += 7
            if byte & 0x80 == 0 || shift > 21 { break }
        }
        return read(length).map { MQTTPacket(type: first >> 4, flags: first & 0x0F, body: $0) }
    }

    private func read(_ count: Int) -> [UInt8]? {
        var (found, place) = ([UInt8](repeating: 0, count: count), 0)
        while place < count {
            let size = found[place...].withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
            guard size > 0 else { return nil }
            place += size
        }
        return found
    }
}

extension HostileClient.Message {
    /// Reads a PUBLISH; nil for one that is cut short.
    init?(_ packet: MQTTPacket, version: UInt8) {
        var rest = packet.body[...]
        func number() -> UInt16? {
            guard rest.count >= 2 else { return nil }
            defer { rest = rest.dropFirst(2) }
            return UInt16(rest[rest.startIndex]) << 8 | UInt16(rest[rest.startIndex + 1])
        }
        qos = packet.flags >> 1 & 3
        isRetained = packet.flags & 1 == 1
        guard let length = number(), rest.count >= Int(length) else { return nil }
        topic = String(decoding: rest.prefix(Int(length)), as: UTF8.self)
        rest = rest.dropFirst(Int(length))
        guard let identifier = qos > 0 ? number() : 0 else { return nil }
        self.identifier = identifier
        guard version >= 5 else {
            (correlation, payload) = ([], Array(rest))
            return
        }
        var (size, shift) = (0, 0)
        while let byte = rest.popFirst() {
            size |= Int(byte & 0x7F) << shift
            shift += 7
            if byte & 0x80 == 0 || shift > 21 { break }
        }
        correlation = Self.correlation(in: rest.prefix(size))
        payload = Array(rest.dropFirst(size))
    }

    /// The correlation data among properties, walked over by their lengths.
    private static func correlation(in properties: ArraySlice<UInt8>) -> [UInt8] {
        var rest = properties
        func length(at place: Int) -> Int {
            rest.count > place + 1 ? Int(rest[rest.startIndex + place]) << 8 | Int(rest[rest.startIndex + place + 1]) : 0
        }
        while let name = rest.first {
            rest = rest.dropFirst()
            switch name {
            case 0x01, 0x17, 0x19, 0x24, 0x25, 0x28, 0x29, 0x2A: rest = rest.dropFirst()
            case 0x13, 0x21, 0x22, 0x23: rest = rest.dropFirst(2)
            case 0x02, 0x11, 0x18, 0x27: rest = rest.dropFirst(4)
            case 0x0B:
                while let byte = rest.popFirst(), byte & 0x80 != 0 {}
            case 0x26:
                rest = rest.dropFirst(2 + length(at: 0))
                rest = rest.dropFirst(2 + length(at: 0))
            case 0x09: return Array(rest.dropFirst(2).prefix(length(at: 0)))
            default: rest = rest.dropFirst(2 + length(at: 0))
            }
        }
        return []
    }
}
