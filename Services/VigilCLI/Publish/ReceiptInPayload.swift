import SensorIngest
import VigilSchema

/// The request for a receipt in a payload, for MQTT 3.1.1 brokers such as NATS, whose messages have no properties.
enum ReceiptInPayload {
    /// The payload with the topic of its receipt; nil: the format has no place for it. Only the suite's own format has
    /// one.
    /// - Parameter topic: Consists of names, so it needs no escaping.
    static func asking(_ payload: [UInt8], at topic: String) -> [UInt8]? {
        guard JSONShape.of(payload.span) == .native, let plain = decoded(payload) else { return nil }
        let wish = Array("{\"responseTopic\":\"\(topic)\",".utf8)
        // The decoder finds out which format it is.
        let asking = [
            payload.firstIndex(of: UInt8(ascii: "{")).map { wish + payload[($0 + 1)...] },
            wish + Array("\"observations\":[".utf8) + payload + Array("]}".utf8),
            wish + Array("\"observations\":".utf8) + payload + Array("}".utf8),
        ].lazy.compactMap(\.self)
        return asking.first { decoded($0).map { $0.receipt?.responseTopic == topic && $0.says(asMuchAs: plain) } ?? false }
    }

    private static func decoded(_ payload: [UInt8]) -> DecodedReadings? {
        // Any time, so that readings without one are counted too.
        try? ReadingDecoder().decode(payload.span, received: Timestamp(seconds: 0))
    }
}

extension DecodedReadings {
    fileprivate func says(asMuchAs other: DecodedReadings) -> Bool {
        readings.count == other.readings.count && refusals.count == other.refusals.count && session == other.session
            && receipt?.id == other.receipt?.id
    }
}
