import CMosquitto

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
