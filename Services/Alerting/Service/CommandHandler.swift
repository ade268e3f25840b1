import AlertRules
import Foundation
import MessageBus
import VigilSchema

/// Reads one command message and answers on its response topic, where it has one.
struct CommandHandler {
    let message: IncomingMessage
    let participant: String
    let rule: String
    let now: Int64
    private(set) var replies: [OutgoingMessage] = []
    private var command: CommandMessage?

    init(message: IncomingMessage, participant: String, rule: String, now: Int64) {
        self.message = message
        self.participant = participant
        self.rule = rule
        self.now = now
        // Anybody may publish here: what is no command is answered below, in words.
        command = try? JSONDecoder().decode(CommandMessage.self, from: Data(message.payload.prefix(65_536)))
    }

    /// A question that changes nothing.
    func query() -> CommandMessage? { command.flatMap { CommandMessage.asking.contains($0.command) ? $0 : nil } }

    /// What is asked for; nil after a refusal.
    mutating func request() -> AlertRequest? {
        guard let command else {
            replies = refuse("the command is no JSON object with \"command\" and \"actor\"")
            return nil
        }
        switch command.request(now: now) {
        case .success(let request): return request
        case .failure(let refusal):
            replies = refuse(refusal.reason)
            return nil
        }
    }

    /// What tells the command from every other: what it says, and where it bears neither id nor time, the number of its delivery, which
    /// stays the same when the broker delivers it again. Nil where nothing does, as at QoS 0, which is never delivered again.
    var identity: String? {
        guard let command else { return nil }
        let isNamed = command.id != nil || command.time != nil
        guard isNamed || message.packetID != 0 else { return nil }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        let number = isNamed ? 0 : message.packetID
        for byte in [UInt8(number & 0xFF), UInt8(number >> 8)] + Array(message.topic.utf8) + message.payload {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return "command \(String(hash, radix: 16))"
    }

    func refuse(_ reason: String) -> [OutgoingMessage] {
        // A dictionary of two plain members always encodes.
        let payload = try? JSONSerialization.data(withJSONObject: ["ok": false, "error": reason], options: [.sortedKeys])
        return reply(payload.map { [UInt8]($0) } ?? [])
    }

    func reply(_ text: String) -> [OutgoingMessage] { reply(Array(text.utf8)) }

    private func reply(_ payload: [UInt8]) -> [OutgoingMessage] {
        // An answer must not pass for a message of the suite.
        guard let asked = message.properties.responseTopic,
            let topic = try? ReplyTopic(asked, correlation: message.properties.correlationData, of: .account)
        else { return [] }
        let properties = MessageProperties(contentType: "application/json", correlationData: topic.correlation)
        return [OutgoingMessage(topic: topic.path, payload: payload, properties: properties)]
    }
}
