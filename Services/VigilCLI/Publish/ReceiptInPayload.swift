/// The wish for a receipt within a payload, for brokers that speak MQTT 3.1.1 only, such as NATS: a message has no other place for it there.
enum ReceiptInPayload {
    /// The payload with the topic on which its receipt is to come, where it is of the suite's own format; any other as it is.
    /// - Parameter topic: Made of names, so that it needs no escaping.
    static func asking(_ payload: [UInt8], at topic: String) -> [UInt8] {
        let wish = "{\"responseTopic\":\"\(topic)\","
        return if payload.starts(with: Array(#"{"metric":"#.utf8)) {
            Array("\(wish)\"observations\":[".utf8) + payload + Array("]}".utf8)
        } else if payload.starts(with: Array(#"[{"metric":"#.utf8)) {
            Array("\(wish)\"observations\":".utf8) + payload + Array("}".utf8)
        } else if payload.starts(with: Array(#"{"observations":"#.utf8)) {
            Array(wish.utf8) + payload.dropFirst()
        } else {
            payload
        }
    }
}
