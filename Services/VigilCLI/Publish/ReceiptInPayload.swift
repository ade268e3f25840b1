import SensorIngest
import VigilSchema

/// The wish for a receipt within a payload, for brokers that speak MQTT 3.1.1 only, such as NATS: a message has no other place for it there.
enum ReceiptInPayload {
    /// The payload with the topic on which its receipt is to come; nil where it has no place for it, as any but those of the suite's own format.
    /// - Parameter topic: Made of names, so that it needs no escaping.
    static func asking(_ payload: [UInt8], at topic: String) -> [UInt8]? {
        guard JSONShape.of(payload.span) == .native, let plain = decoded(payload) else { return nil }
        let wish = Array("{\"responseTopic\":\"\(topic)\",".utf8)
        // Whatever it begins with, the decoder tells which of them it is.
        let asking = [
            payload.firstIndex(of: UInt8(ascii: "{")).map { wish + payload[($0 + 1)...] },
            wish + Array("\"observations\":[".utf8) + payload + Array("]}".utf8),
            wish + Array("\"observations\":".utf8) + payload + Array("}".utf8),
        ].lazy.compactMap(\.self)
        return asking.first { decoded($0).map { $0.receipt?.responseTopic == topic && $0.says(asMuchAs: plain) } ?? false }
    }

    private static func decoded(_ payload: [UInt8]) -> DecodedReadings? {
        // Some time, so that those without one are counted too.
        try? ReadingDecoder().decode(payload.span, received: Timestamp(seconds: 0))
    }
}

extension DecodedReadings {
    fileprivate func says(asMuchAs other: DecodedReadings) -> Bool {
        readings.count == other.readings.count && refusals.count == other.refusals.count && session == other.session
            && receipt?.id == other.receipt?.id
    }
}
