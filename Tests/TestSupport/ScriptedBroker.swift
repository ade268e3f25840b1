import Foundation
import Synchronization

/// A broker that does what a test says, and remembers every packet that came: for what no real broker does on demand. Hangs up on a goodbye.
package final class ScriptedBroker: Sendable {
    /// An MQTT packet as it was read.
    package struct Packet: Sendable {
        /// Counted from 1.
        package let connection: Int
        package let type: UInt8
        package let flags: UInt8
        package let body: [UInt8]

        /// The packet identifier of PUBACK, SUBSCRIBE and PUBLISH at QoS 1.
        package var identifier: [UInt8] {
            guard type == 3 else { return Array(body.prefix(2)) }
            let start = 2 + Int(body[0]) << 8 + Int(body[1])
            return Array(body[start..<start + 2])
        }
    }

    package static let connect: UInt8 = 1
    package static let publish: UInt8 = 3
    package static let acknowledgement: UInt8 = 4
    package static let subscribe: UInt8 = 8
    package static let ping: UInt8 = 12
    package static let disconnect: UInt8 = 14

    private struct State {
        var packets: [Packet] = []
        var current: Int32 = -1
        var connections = 0
    }

    package let port: UInt16
    private let listener: Int32
    private let state = Mutex(State())
    private let answer: @Sendable (Packet) -> [UInt8]

    /// - Parameter answer: The bytes sent for a packet; none for silence. Called on the connection's thread.
    package init(_ answer: @escaping @Sendable (Packet) -> [UInt8]) throws {
        self.answer = answer
        port = try LoopbackPort.free()
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = LoopbackPort.address(port)
        var yes: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, 4)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        guard code == 0, listen(listener, 8) == 0 else { throw NeverHappened(description: "the scripted broker cannot listen") }
        let thread = Thread { [weak self, listener] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0, let self else { return }
                self.serve(connection)
            }
        }
        thread.start()
    }

    deinit {
        hangUp()
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// Everything read so far.
    package var packets: [Packet] { state.withLock { $0.packets } }

    /// The number of packets of a type were read so far.
    package func count(_ type: UInt8) -> Int { packets.count { $0.type == type } }

    /// The number of connections were taken so far.
    package var connections: Int { state.withLock { $0.connections } }

    /// Sends bytes over the present connection.
    package func send(_ bytes: [UInt8]) {
        let descriptor = state.withLock { $0.current }
        if descriptor >= 0 { _ = Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Breaks the present connection.
    package func hangUp() {
        let descriptor = state.withLock { $0.current }
        if descriptor >= 0 { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    private func serve(_ descriptor: Int32) {
        let number = state.withLock { state in
            state.current = descriptor
            state.connections += 1
            return state.connections
        }
        while let packet = read(descriptor, number) {
            state.withLock { $0.packets.append(packet) }
            let bytes = answer(packet)
            if !bytes.isEmpty { _ = Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
            if packet.type == Self.disconnect { break }
        }
        state.withLock { if $0.current == descriptor { $0.current = -1 } }
        close(descriptor)
    }

    private func read(_ descriptor: Int32, _ number: Int) -> Packet? {
        guard let first = bytes(descriptor, 1)?.first else { return nil }
        var length = 0
        var shift = 0
        while let byte = bytes(descriptor, 1)?.first {
            length |= Int(byte & 0x7F) << shift
            shift += 7
            if byte & 0x80 == 0 { break }
        }
        guard let body = bytes(descriptor, length) else { return nil }
        return Packet(connection: number, type: first >> 4, flags: first & 0x0F, body: body)
    }

    private func bytes(_ descriptor: Int32, _ count: Int) -> [UInt8]? {
        var found: [UInt8] = []
        while found.count < count {
            var chunk = [UInt8](repeating: 0, count: count - found.count)
            let size = recv(descriptor, &chunk, chunk.count, 0)
            guard size > 0 else { return nil }
            found += chunk.prefix(size)
        }
        return found
    }
}

extension ScriptedBroker {
    /// CONNACK of MQTT 5, without properties.
    package static func accepted(reason: UInt8 = 0) -> [UInt8] { [0x20, 3, 0, reason, 0] }

    /// CONNACK of MQTT 3.1.1.
    package static func acceptedV311(code: UInt8 = 0) -> [UInt8] { [0x20, 2, 0, code] }

    /// SUBACK of MQTT 5 for one filter.
    package static func granted(_ subscribe: Packet, reason: UInt8 = 1) -> [UInt8] { [0x90, 4] + subscribe.identifier + [0, reason] }

    /// SUBACK of MQTT 3.1.1 for one filter.
    package static func grantedV311(_ subscribe: Packet, code: UInt8 = 1) -> [UInt8] { [0x90, 3] + subscribe.identifier + [code] }

    /// PUBACK of MQTT 5.
    package static func acknowledged(_ publish: Packet, reason: UInt8 = 0) -> [UInt8] { [0x40, 3] + publish.identifier + [reason] }

    /// PUBLISH of MQTT 5 at QoS 1, payload up to 100 bytes.
    package static func message(_ identifier: UInt8, topic: String, payload: String) -> [UInt8] {
        let body = [0, UInt8(topic.utf8.count)] + Array(topic.utf8) + [0, identifier, 0] + Array(payload.utf8)
        return [0x32, UInt8(body.count)] + body
    }

    /// CONNECT accepted, subscriptions granted, pings and publishes answered.
    package static let obliging: @Sendable (Packet) -> [UInt8] = { packet in
        switch packet.type {
        case connect: accepted()
        case subscribe: granted(packet)
        case publish: packet.flags & 0x06 == 0 ? [] : acknowledged(packet)
        case ping: [0xD0, 0]
        default: []
        }
    }
}
