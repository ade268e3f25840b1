import CMosquitto
import Glibc

/// MQTT 5 properties in the library's form, freed with this value.
@safe struct PropertyList: ~Copyable {
    private(set) var head: OpaquePointer?

    init() {}

    deinit {
        var head = unsafe head
        unsafe mosquitto_property_free_all(&head)
    }

    /// The properties of a message.
    init(_ properties: MessageProperties) {
        if let type = properties.contentType { add(MQTT_PROP_CONTENT_TYPE, string: type) }
        if let topic = properties.responseTopic { add(MQTT_PROP_RESPONSE_TOPIC, string: topic) }
        if let data = properties.correlationData {
            _ = unsafe mosquitto_property_add_binary(&head, Int32(MQTT_PROP_CORRELATION_DATA.rawValue), data, UInt16(clamping: data.count))
        }
        for property in properties.userProperties {
            _ = unsafe mosquitto_property_add_string_pair(&head, Int32(MQTT_PROP_USER_PROPERTY.rawValue), property.name, property.value)
        }
        if let expiry = properties.expiry { add(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, int32: expiry.wholeSeconds) }
    }

    mutating func add(_ identifier: mqtt5_property, string: String) {
        _ = unsafe mosquitto_property_add_string(&head, Int32(identifier.rawValue), string)
    }

    mutating func add(_ identifier: mqtt5_property, int16: UInt16) {
        _ = unsafe mosquitto_property_add_int16(&head, Int32(identifier.rawValue), int16)
    }

    mutating func add(_ identifier: mqtt5_property, int32: UInt32) {
        _ = unsafe mosquitto_property_add_int32(&head, Int32(identifier.rawValue), int32)
    }

    mutating func add(_ identifier: mqtt5_property, variable: UInt32) {
        _ = unsafe mosquitto_property_add_varint(&head, Int32(identifier.rawValue), variable)
    }

    /// Hands the list to a function of the library that takes ownership of it.
    mutating func giveAway() -> OpaquePointer? {
        defer { unsafe head = nil }
        return unsafe head
    }
}

extension Duration {
    /// For fields of whole seconds: rounded up, kept within 32 bits.
    var wholeSeconds: UInt32 {
        let (seconds, attoseconds) = components
        return UInt32(clamping: attoseconds > 0 ? seconds + 1 : seconds)
    }
}

/// Reads MQTT 5 properties that the library lent to a callback.
@safe struct PropertyReader {
    private let list: OpaquePointer?

    init(_ list: OpaquePointer?) {
        unsafe self.list = unsafe list
    }

    /// The bytes of a property that are kept. Longer ones are cut, and still seen to be longer than anybody takes: strangers choose them, and a
    /// consumer's batch, which closes at so many bytes, is for payloads.
    static let keptBytes = 2048

    /// The properties of a received message.
    var messageProperties: MessageProperties {
        guard unsafe list != nil else { return MessageProperties() }
        return MessageProperties(
            contentType: string(MQTT_PROP_CONTENT_TYPE), responseTopic: string(MQTT_PROP_RESPONSE_TOPIC),
            correlationData: binary(MQTT_PROP_CORRELATION_DATA), userProperties: userProperties,
            expiry: int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL).map { .seconds(Int64($0)) })
    }

    func byte(_ identifier: mqtt5_property) -> UInt8? {
        var value: UInt8 = 0
        return unsafe mosquitto_property_read_byte(list, Int32(identifier.rawValue), &value, false) == nil ? nil : value
    }

    func int16(_ identifier: mqtt5_property) -> UInt16? {
        var value: UInt16 = 0
        return unsafe mosquitto_property_read_int16(list, Int32(identifier.rawValue), &value, false) == nil ? nil : value
    }

    func int32(_ identifier: mqtt5_property) -> UInt32? {
        var value: UInt32 = 0
        return unsafe mosquitto_property_read_int32(list, Int32(identifier.rawValue), &value, false) == nil ? nil : value
    }

    func string(_ identifier: mqtt5_property) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        guard unsafe mosquitto_property_read_string(list, Int32(identifier.rawValue), &value, false) != nil else { return nil }
        defer { unsafe free(value) }
        return unsafe value.map { unsafe Self.text($0) }
    }

    private static func text(_ value: UnsafeMutablePointer<CChar>) -> String {
        unsafe String(decoding: UnsafeRawBufferPointer(start: value, count: strnlen(value, keptBytes)), as: UTF8.self)
    }

    func binary(_ identifier: mqtt5_property) -> [UInt8]? {
        var value: UnsafeMutableRawPointer?
        var count: UInt16 = 0
        guard unsafe mosquitto_property_read_binary(list, Int32(identifier.rawValue), &value, &count, false) != nil else { return nil }
        defer { unsafe free(value) }
        return unsafe Array(UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : min(Int(count), Self.keptBytes)))
    }

    /// The identifiers of the subscriptions for which a message came.
    var subscriptionIdentifiers: [UInt32] {
        var found: [UInt32] = []
        var position = unsafe list
        while unsafe position != nil {
            var value: UInt32 = 0
            let skipsFirst = !found.isEmpty
            unsafe position = mosquitto_property_read_varint(
                position, Int32(MQTT_PROP_SUBSCRIPTION_IDENTIFIER.rawValue), &value, skipsFirst)
            if unsafe position != nil { found.append(value) }
        }
        return found
    }

    /// More of a message are left out: strangers choose them.
    private static let mostUserProperties = 64

    private var userProperties: [UserProperty] {
        var found: [UserProperty] = []
        var position = unsafe list
        var skipsFirst = false
        while unsafe position != nil, found.count < Self.mostUserProperties {
            var name: UnsafeMutablePointer<CChar>?
            var value: UnsafeMutablePointer<CChar>?
            unsafe position = mosquitto_property_read_string_pair(
                position, Int32(MQTT_PROP_USER_PROPERTY.rawValue), &name, &value, skipsFirst)
            skipsFirst = true
            if let name = unsafe name, let value = unsafe value {
                unsafe found.append(UserProperty(Self.text(name), Self.text(value)))
            }
            unsafe free(name)
            unsafe free(value)
        }
        return found
    }
}
