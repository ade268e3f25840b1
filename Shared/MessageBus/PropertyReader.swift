import CMosquitto
import Glibc

/// Reads MQTT 5 properties that the library lent to a callback.
@safe struct PropertyReader {
    private let list: OpaquePointer?

    init(_ list: OpaquePointer?) {
        unsafe self.list = unsafe list
    }

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
        return unsafe value.map { unsafe String(cString: $0) }
    }

    func binary(_ identifier: mqtt5_property) -> [UInt8]? {
        var value: UnsafeMutableRawPointer?
        var count: UInt16 = 0
        guard unsafe mosquitto_property_read_binary(list, Int32(identifier.rawValue), &value, &count, false) != nil else { return nil }
        defer { unsafe free(value) }
        return unsafe Array(UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : Int(count)))
    }

    private var userProperties: [UserProperty] {
        var found: [UserProperty] = []
        var position = unsafe list
        var skipsFirst = false
        while unsafe position != nil {
            var name: UnsafeMutablePointer<CChar>?
            var value: UnsafeMutablePointer<CChar>?
            unsafe position = mosquitto_property_read_string_pair(
                position, Int32(MQTT_PROP_USER_PROPERTY.rawValue), &name, &value, skipsFirst)
            skipsFirst = true
            if let name = unsafe name, let value = unsafe value {
                unsafe found.append(UserProperty(String(cString: name), String(cString: value)))
            }
            unsafe free(name)
            unsafe free(value)
        }
        return found
    }
}
