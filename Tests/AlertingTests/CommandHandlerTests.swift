import AlertRules
import Foundation
import MessageBus
import Testing
import VigilSchema

@testable import Alerting

@Suite("One command to an alert")
struct CommandHandlerTests {
    private static let topic = "vigil/v1/requests/a/alert"
    private static let acknowledge = #"{"command": "acknowledge", "actor": "n"}"#
    private static let answers = "vigil/v1/responses/a/1"

    private static func handler(
        _ json: String, topic: String = topic, number: UInt16 = 1, responseTopic: String? = nil, correlation: [UInt8]? = nil,
        participant: String = "12", rule: String = "high"
    ) -> CommandHandler {
        let properties = MessageProperties(responseTopic: responseTopic, correlationData: correlation)
        let payload = CommandRequest.payload(json, of: participant, rule: rule)
        return CommandHandler(message: IncomingMessage(topic: topic, payload: payload, properties: properties, packetID: number))
    }

    private static func rules() throws -> RuleSet {
        let text = """
            {rules: [{id: "high", title: {en: "High"}, group: "heart", metric: "heart-rate", severity: "warning", above: 110},
                {id: "gone", kind: "technical", metric: "heart-rate", severity: "notice", noData: "2m"}]}
            """
        return try RuleSetReader.read([RuleFile(name: "r", text: text)])
    }

    private static func reason<Value>(_ result: Result<Value, CommandRefusal>) -> String? {
        if case .failure(let refusal) = result { refusal.reason } else { nil }
    }

    @Test("has 65,536 bytes at the most")
    func size() {
        let length = CommandRequest.payload(Self.acknowledge, rule: "high").count
        let filled = Self.acknowledge + String(repeating: " ", count: 65_536 - length)
        #expect(Self.reason(Self.handler(filled).command) == nil)
        #expect(Self.reason(Self.handler(filled + " ").command) == "the command is longer than 65536 bytes")
    }

    @Test("what is none is refused in words", arguments: ["", "x", "[]", "7", #"{"actor": "n"}"#, #"{"command": "acknowledge""#])
    func noCommand(json: String) {
        let handler = Self.handler(json)
        #expect(Self.reason(handler.request(now: 0)) == #"the command is no JSON object with "command" and "actor""#)
        #expect(handler.identity == nil && handler.query == nil)
    }

    @Test(
        "a member of the wrong kind is named",
        arguments: [
            (#"{"command": "silence", "until": "x"}"#, #""until": "#), (#"{"command": 7}"#, #""command": "#),
            (#"{"command": "set-profile", "profile": {"born": "1948-3-1"}}"#, #""profile.born": a date is written as 1948-03-01"#),
            (#"{"command": "set-profile", "profile": {"height": "x"}}"#, #""profile.height": "#),
        ])
    func member(json: String, beginning: String) {
        #expect(Self.reason(Self.handler(json).request(now: 0))?.hasPrefix(beginning) == true)
    }

    @Test("is a question where it changes nothing")
    func questions() {
        for name in CommandMessage.asking { #expect(Self.handler(#"{"command": "\#(name)"}"#).query?.command == name) }
        for name in CommandMessage.changing + ["dance"] { #expect(Self.handler(#"{"command": "\#(name)"}"#).query == nil) }
    }

    @Test("is the same again where the broker delivers it again, and another one otherwise")
    func identity() {
        // FNV-1a of the number, the topic and the payload: kept in the state, so the next version must find the same.
        #expect(Self.handler(Self.acknowledge, number: 0x1234).identity == "command cb2035dd0f19b10c")
        let named = #"{"command": "acknowledge", "actor": "n", "id": "1"}"#
        #expect(Self.handler(named, number: 0).identity == "command 2c3065d65cb56b2")
        #expect(Self.handler(named, number: 9).identity == "command 2c3065d65cb56b2", "its id alone tells it")
        let timed = #"{"command": "acknowledge", "actor": "n", "time": 1}"#
        #expect(Self.handler(timed, number: 9).identity == Self.handler(timed, number: 0).identity)
        #expect(Self.handler(timed, number: 0).identity != nil)
        #expect(Self.handler(Self.acknowledge, number: 0).identity == nil, "it is never delivered again")
        let others = [
            Self.handler(Self.acknowledge, number: 1), Self.handler(Self.acknowledge, number: 257),
            Self.handler(Self.acknowledge, number: 256), Self.handler(Self.acknowledge + " ", number: 1),
            Self.handler(Self.acknowledge, topic: Self.topic + "er", number: 1), Self.handler(named, number: 1),
            Self.handler(timed, number: 1),
        ]
        #expect(Set(others.map(\.identity)).count == others.count)
    }

    @Test("is answered where its sender asked, with what the sender sent along")
    func reply() throws {
        let handler = Self.handler(Self.acknowledge, responseTopic: Self.answers, correlation: [1, 2])
        let engine = AlertEngine(rules: try Self.rules(), now: 0)
        for (reply, text) in [
            (handler.reply(#"{"ok":true}"#), #"{"ok":true}"#), (handler.refuse("no", engine, now: 0), #"{"error":"no","ok":false}"#),
        ] {
            let message = try #require(reply.first?.message)
            #expect(reply.count == 1 && message.topic == Self.answers && message.payload == Array(text.utf8) && !message.retained)
            #expect(message.properties.correlationData == [1, 2])
        }
        #expect(Self.handler(Self.acknowledge).reply("x").isEmpty)
        #expect(Self.reason(handler.request(now: 0)) == nil)
    }

    @Test("is not answered on somebody else's topic")
    func foreignTopic() {
        #expect(Self.handler(Self.acknowledge, responseTopic: "vigil/v1/ingest/12/a").reply("x").isEmpty)
        let long = Self.handler(Self.acknowledge, responseTopic: Self.answers, correlation: [UInt8](repeating: 0, count: 65))
        #expect(long.reply("x").isEmpty)
    }

    @Test("refused without a topic for answers, it is told as an event of somebody known, and of nobody unknown")
    func refusal() throws {
        var engine = AlertEngine(rules: try Self.rules(), now: 0)
        let handler = Self.handler(Self.acknowledge)
        #expect(handler.refuse("no", engine, now: 0).isEmpty)
        _ = engine.index(of: "12")
        let message = try #require(handler.refuse("nothing is active", engine, now: 5_500_000).first?.message)
        #expect(message.topic == "vigil/v1/alert-events/12/high")
        let event = try AlertMessage(decoding: message.payload)
        #expect(event.transition == "command-refused" && event.cause == "command" && event.sequence == 0)
        #expect(event.time == 5.5 && event.decided == 5.5 && event.since == 5.5)
        #expect(event.state == "none" && event.severity == "none" && event.priority == "low")
        #expect(event.kind == "medical" && event.group == "heart" && event.title["en"] == "High")
        #expect(event.actor == "n" && event.reason == "nothing is active")
        #expect(
            event.message == [
                "en": "Command refused: nothing is active.", "de": "Befehl abgelehnt: nothing is active.",
                "ru": "Команда отклонена: nothing is active.",
            ])
    }

    @Test("refused for a rule that is not there, or from somebody whose name is none, it is told without inventing either")
    func refusalOfUnknown() throws {
        var engine = AlertEngine(rules: try Self.rules(), now: 0)
        _ = engine.index(of: "12")
        func event(_ actor: String) throws -> AlertMessage {
            let handler = Self.handler(#"{"command": "acknowledge", "actor": "\#(actor)"}"#, rule: "none")
            return try AlertMessage(decoding: try #require(handler.refuse("no", engine, now: 0).first?.message).payload)
        }
        let plain = try event(String(repeating: "n", count: 201))
        #expect(plain.kind == "technical" && plain.group == "technical" && plain.title == ["en": "none"])
        #expect(plain.actor == String(repeating: "n", count: 200))
        #expect(try event(#"n\u0007"#).actor == nil)
    }

    @Test(
        "a silence lasts at most a day of a medical alert, and a week of a technical one",
        arguments: [(0, false, 86_400), (1, false, 7 * 86_400), (0, true, 86_400), (1, true, 86_400)] as [(Int, Bool, Int64)])
    func silence(rule: Int, isAll: Bool, seconds: Int64) throws {
        let rules = try Self.rules()
        func problem(_ microseconds: Int64) -> String? {
            let request = AlertRequest(command: .silence(until: 1000 + microseconds, upTo: nil), actor: "n", time: 5)
            return rules.problem(with: request, rule: rule, isAll: isAll, easeAtMost: nil, now: 1000)
        }
        #expect(problem(seconds * 1_000_000) == nil)
        let kind = rule == 0 || isAll ? "medical" : "technical"
        #expect(problem(seconds * 1_000_000 + 1)?.hasPrefix("a silence of a \(kind) alert lasts at most ") == true)
    }

    @Test("a threshold is set for one rule at a time, and eased no further than its sender may")
    func threshold() throws {
        let rules = try Self.rules()
        func problem(_ value: Double?, isAll: Bool = false, easeAtMost: Double? = nil) -> String? {
            let request = AlertRequest(command: .setThreshold(.warning, value), actor: "n", time: 5)
            return rules.problem(with: request, rule: 0, isAll: isAll, easeAtMost: easeAtMost, now: 0)
        }
        #expect(problem(120, isAll: true) == "a threshold is set for one rule at a time" && problem(nil, isAll: true) != nil)
        #expect(problem(200) == nil && problem(nil, easeAtMost: 0) == nil)
        #expect(problem(111, easeAtMost: 0) != nil && problem(111, easeAtMost: 1) == nil)
    }
}
