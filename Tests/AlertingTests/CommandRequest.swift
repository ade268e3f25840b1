import MessageBus
import VigilSchema

/// A command to an alert as an account sends it: participant and rule are members of the payload.
enum CommandRequest {
    /// Adds the participant and the rule to a JSON object; anything else stays as it is.
    static func payload(_ json: String, of participant: String = "12", rule: String = "all") -> [UInt8] {
        guard json.hasPrefix("{") else { return Array(json.utf8) }
        return Array((#"{"participant": "\#(participant)", "rule": "\#(rule)", "# + json.dropFirst()).utf8)
    }

    /// The message of the account that the response topic names.
    static func message(
        _ json: String, of participant: String = "12", rule: String = "all", answeredOn responseTopic: String? = nil
    ) -> IncomingMessage {
        IncomingMessage(
            topic: topic(answeredOn: responseTopic), payload: payload(json, of: participant, rule: rule),
            properties: MessageProperties(responseTopic: responseTopic))
    }

    /// The topic for requests of the account that a response topic names.
    static func topic(answeredOn responseTopic: String? = nil) -> String {
        Topic.request(answeredOn: responseTopic ?? "", service: "alert").path
    }
}
