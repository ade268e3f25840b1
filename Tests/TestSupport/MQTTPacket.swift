/// An MQTT packet as bytes, right or wrong: written by this type alone, so that it can say what no library lets a client say.
package struct MQTTPacket: Sendable, Hashable {
    /// The packet types that a client sends or receives.
    package enum Kind: UInt8, Sendable, CaseIterable {
        case connect = 1, connectAcknowledgement, publish, publishAcknowledgement, publishReceived, publishRelease, publishComplete
        case subscribe, subscribeAcknowledgement, unsubscribe, unsubscribeAcknowledgement, pingRequest, pingResponse, disconnect,
            authenticate
    }

    /// The upper half of the first byte.
    package var type: UInt8
    /// The lower half of the first byte.
    package var flags: UInt8
    /// Everything behind the remaining length.
    package var body: [UInt8]

    package init(_ kind: Kind, flags: UInt8 = 0, body: [UInt8] = []) { self.init(type: kind.rawValue, flags: flags, body: body) }

    package init(type: UInt8, flags: UInt8, body: [UInt8]) {
        (self.type, self.flags, self.body) = (type, flags, body)
    }

    /// The packet as it goes over the wire.
    package var bytes: [UInt8] { [type << 4 | flags & 0x0F] + Self.variable(body.count) + body }

    /// The kind; nil for the reserved type 0.
    package var kind: Kind? { Kind(rawValue: type) }

    /// The reason code of CONNACK, PUBACK, SUBACK and DISCONNECT of MQTT 5; nil where there is none.
    package var reason: UInt8? {
        switch kind {
        case .connectAcknowledgement: body.count > 1 ? body[1] : nil
        case .publishAcknowledgement: body.count > 2 ? body[2] : body.count == 2 ? 0 : nil
        case .subscribeAcknowledgement: body.last
        case .disconnect: body.first ?? 0
        default: nil
        }
    }
}

// MARK: - The packets of a client

extension MQTTPacket {
    /// The fields of CONNECT, each sent as it stands here.
    package struct Connection: Sendable, Hashable {
        /// The message that the broker publishes when the connection breaks.
        package struct Will: Sendable, Hashable {
            package var topic: String
            package var payload: [UInt8] = []
            package var qos: UInt8 = 0
            package var isRetained = false
            package var properties: [MQTTProperty] = []

            package init(
                topic: String, payload: [UInt8] = [], qos: UInt8 = 0, isRetained: Bool = false, properties: [MQTTProperty] = []
            ) {
                (self.topic, self.payload, self.qos, self.isRetained, self.properties) = (topic, payload, qos, isRetained, properties)
            }
        }

        package var clientID: String
        /// 5 for MQTT 5, 4 for MQTT 3.1.1; anything else is a lie.
        package var version: UInt8 = 5
        package var protocolName = "MQTT"
        package var cleanStart = true
        package var keepAlive: UInt16 = 60
        package var user: String?
        package var password: String?
        package var will: Will?
        package var properties: [MQTTProperty] = []
        /// The flags as given instead of those that follow from the fields.
        package var flags: UInt8?

        package init(clientID: String, version: UInt8 = 5) { (self.clientID, self.version) = (clientID, version) }
    }

    package static func connect(_ connection: Connection) -> Self {
        var flags: UInt8 = connection.cleanStart ? 0x02 : 0
        if let will = connection.will { flags |= 0x04 | will.qos << 3 | (will.isRetained ? 0x20 : 0) }
        if connection.password != nil { flags |= 0x40 }
        if connection.user != nil { flags |= 0x80 }
        let isFive = connection.version >= 5
        var body = text(connection.protocolName) + [connection.version, connection.flags ?? flags] + short(connection.keepAlive)
        if isFive { body += properties(connection.properties) }
        body += text(connection.clientID)
        if let will = connection.will {
            if isFive { body += properties(will.properties) }
            body += text(will.topic) + binary(will.payload)
        }
        if let user = connection.user { body += text(user) }
        if let password = connection.password { body += text(password) }
        return Self(.connect, body: body)
    }

    /// - Parameter version: 4 leaves the properties away.
    package static func publish(
        _ topic: String, _ payload: [UInt8], qos: UInt8 = 1, identifier: UInt16 = 1, isRetained: Bool = false, isDuplicate: Bool = false,
        properties: [MQTTProperty] = [], version: UInt8 = 5
    ) -> Self {
        let flags = (isDuplicate ? 0x08 : 0) | qos << 1 | (isRetained ? 0x01 : 0)
        let start = text(topic) + (qos > 0 ? short(identifier) : [])
        return Self(.publish, flags: flags, body: start + (version >= 5 ? Self.properties(properties) : []) + payload)
    }

    /// - Parameter options: Of every filter: QoS in bits 0 and 1, no local 4, retain as published 8, retain handling in bits 4 and 5.
    package static func subscribe(
        _ filters: [String], options: UInt8 = 1, identifier: UInt16 = 1, properties: [MQTTProperty] = [], version: UInt8 = 5
    ) -> Self {
        let start = short(identifier) + (version >= 5 ? Self.properties(properties) : [])
        return Self(.subscribe, flags: 2, body: start + filters.flatMap { text($0) + [options] })
    }

    package static func acknowledge(_ identifier: UInt16, reason: UInt8 = 0, version: UInt8 = 5) -> Self {
        Self(.publishAcknowledgement, body: short(identifier) + (version >= 5 && reason != 0 ? [reason] : []))
    }

    package static func disconnect(reason: UInt8 = 0, version: UInt8 = 5) -> Self {
        Self(.disconnect, body: version >= 5 && reason != 0 ? [reason] : [])
    }

    package static let ping = Self(.pingRequest)
}

// MARK: - Fields

extension MQTTPacket {
    static func short(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }

    static func long(_ number: UInt32) -> [UInt8] { (0..<4).reversed().map { UInt8(number >> (8 * $0) & 0xFF) } }

    static func binary(_ bytes: [UInt8]) -> [UInt8] {
        // What is too long for its length is cut: the packet must stay what it says.
        short(UInt16(min(bytes.count, 65_535))) + bytes.prefix(65_535)
    }

    static func text(_ text: String) -> [UInt8] { binary(Array(text.utf8)) }

    static func properties(_ properties: [MQTTProperty]) -> [UInt8] {
        let bytes = properties.flatMap(\.bytes)
        return variable(bytes.count) + bytes
    }

    /// A number of seven bits a byte.
    static func variable(_ number: Int) -> [UInt8] {
        var (rest, bytes) = (number, [UInt8]())
        repeat {
            bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        return bytes
    }
}

/// A property of an MQTT 5 packet, in whatever packet it is put.
package enum MQTTProperty: Sendable, Hashable {
    case byte(UInt8, UInt8)
    case short(UInt8, UInt16)
    case long(UInt8, UInt32)
    case variable(UInt8, Int)
    case text(UInt8, String)
    case binary(UInt8, [UInt8])
    case pair(UInt8, String, String)
    /// Bytes that are no property.
    case raw([UInt8])

    package static func contentType(_ type: String) -> Self { .text(0x03, type) }
    package static func messageExpiry(_ seconds: UInt32) -> Self { .long(0x02, seconds) }
    package static func responseTopic(_ topic: String) -> Self { .text(0x08, topic) }
    package static func correlation(_ bytes: [UInt8]) -> Self { .binary(0x09, bytes) }
    package static func sessionExpiry(_ seconds: UInt32) -> Self { .long(0x11, seconds) }
    package static func willDelay(_ seconds: UInt32) -> Self { .long(0x18, seconds) }
    package static func receiveMaximum(_ count: UInt16) -> Self { .short(0x21, count) }
    package static func topicAlias(_ alias: UInt16) -> Self { .short(0x23, alias) }
    package static func user(_ name: String, _ value: String) -> Self { .pair(0x26, name, value) }
    package static func maximumPacketSize(_ bytes: UInt32) -> Self { .long(0x27, bytes) }

    var bytes: [UInt8] {
        switch self {
        case .byte(let name, let value): [name, value]
        case .short(let name, let value): [name] + MQTTPacket.short(value)
        case .long(let name, let value): [name] + MQTTPacket.long(value)
        case .variable(let name, let value): [name] + MQTTPacket.variable(value)
        case .text(let name, let value): [name] + MQTTPacket.text(value)
        case .binary(let name, let value): [name] + MQTTPacket.binary(value)
        case .pair(let name, let key, let value): [name] + MQTTPacket.text(key) + MQTTPacket.text(value)
        case .raw(let bytes): bytes
        }
    }
}
