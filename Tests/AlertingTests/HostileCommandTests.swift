import Alerting
import Foundation
import MessageBus
import TestSupport
import Testing
import VigilSchema

@Suite("vigil-alert and hostile commands", .serialized, .timeLimit(.minutes(3)))
struct HostileCommandTests {
    private static let rules = """
        {rules: [{id: "high", metric: "heart-rate", title: {en: "Heart rate high"}, severity: "critical", above: 110, maximumAge: "10m"}]}
        """

    @Test("goes on for everybody after response topics that no broker takes or that belong to others, and answers on none of them")
    func responseTopics() async throws {
        try await AlertRig.with(rules: Self.rules) { rig in
            try await rig.start()
            try await rig.sendNow("12", "heart-rate", 120)
            try await eventually("the first alarm") { rig.events.contains { $0.transition == "raised" } }
            let alertEvent = Topic.alertEvent(participant: "12", rule: "high").path
            for topic in [
                "x", String(repeating: "/", count: 300), "vigil/v1/" + String(repeating: "a/", count: 190), alertEvent,
                "vigil/v1/ingest/12/a", "$SYS/x",
            ] {
                try await rig.command("12", "high", #"{"command": "acknowledge", "actor": "stranger"}"#, responseTopic: topic)
                try await rig.command("12", "high", #"{"command": "why"}"#, responseTopic: topic)
            }
            // A stranger's word about somebody unknown makes nobody known.
            try await rig.command("all", "all", #"{"command": "acknowledge", "actor": "stranger"}"#, responseTopic: "x")
            try await rig.sendNow("13", "heart-rate", 120)
            try await eventually("the alarm, as if nothing were") { rig.events.contains { $0.participant == "13" } }
            // The command counts; its answer goes to no foreign topic.
            try await eventually("the acknowledgement") { rig.events.contains { $0.transition == "acknowledged" } }
            #expect(rig.events.allSatisfy { $0.participant != "all" } && rig.messages("responses/").isEmpty)
            #expect(rig.messages("ingest/").isEmpty && rig.messages("alert-events/").allSatisfy { $0.topic.hasSuffix("/high") })
        }
    }

    @Test("makes nobody known by a command that does not say whose alert it is about, and says so", arguments: ["all", "high"])
    func commandAboutNobody(rule: String) async throws {
        try await AlertRig.with(rules: Self.rules) { rig in
            try await rig.start()
            for command in ["acknowledge", "silence", "unsilence", "clear"] {
                let json = #"{"command": "\#(command)", "actor": "a", "duration": "1h", "reason": "x"}"#
                try await rig.command("all", rule, json, responseTopic: "vigil/v1/responses/a/1")
            }
            try await eventually("four answers") { rig.messages("responses/a/").count == 4 }
            #expect(rig.messages("responses/a/").allSatisfy { String(decoding: $0.payload, as: UTF8.self).contains("whose alert") })
            try await rig.sendNow("12", "heart-rate", 120)
            try await eventually("an alarm") { rig.events.contains { $0.participant == "12" } }
            #expect(rig.events.allSatisfy { $0.participant == "12" })
            // Whoever is really called so has alerts like everybody, and they are answered.
            try await rig.sendNow("all", "heart-rate", 120)
            try await eventually("the alarm") { rig.events.contains { $0.participant == "all" && $0.transition == "raised" } }
            try await rig.command("all", "high", #"{"command": "acknowledge", "actor": "a"}"#, responseTopic: "vigil/v1/responses/a/2")
            try await eventually("the acknowledgement") {
                rig.events.contains { $0.participant == "all" && $0.transition == "acknowledged" }
            }
        }
    }

    @Test(
        "reads the rules once for thousands who ask for it, answers them, and an operator's acknowledgement does not stand in line behind them"
    )
    func reloads() async throws {
        try await AlertRig.with(rules: Self.rules) { rig in
            try await rig.start()
            try await rig.sendNow("12", "heart-rate", 120)
            try await eventually("the first alarm") { rig.events.contains { $0.transition == "raised" } }
            let changed = Self.rules.replacing("above: 110", with: "above: 111")
            try rig.folder.write(changed, to: "rules.json5")
            for number in 0..<2000 {
                let id = number == 1000 ? #", "id": "changed again""# : ""
                if number == 1000 { try rig.folder.write(Self.rules, to: "rules.json5") }
                try await rig.command(
                    "all", "all", #"{"command": "reload", "actor": "a"\#(id)}"#, responseTopic: "vigil/v1/responses/a/reload")
            }
            try await rig.command("12", "high", #"{"command": "acknowledge", "actor": "b"}"#, responseTopic: "vigil/v1/responses/b/ack")
            try await eventually(within: .seconds(30), "the acknowledgement") { !rig.messages("responses/b/").isEmpty }
            #expect(rig.log.split(separator: "\n").count { $0.contains("rules read again") } <= 3)
            try await eventually(within: .seconds(60), "two thousand answers") { rig.messages("responses/a/").count == 2000 }
            #expect(rig.messages("responses/a/").allSatisfy { String(decoding: $0.payload, as: UTF8.self).contains(#""ok":true"#) })
        }
    }

    @Test("tells another's alarm and answers another's question behind thousands of one account, which are answered or refused in words")
    func questions() async throws {
        try await AlertRig.with(rules: Self.rules) { rig in
            try await rig.start()
            try await rig.sendNow("12", "heart-rate", 120)
            try await eventually("the first alarm") { rig.events.contains { $0.participant == "12" } }
            for number in 0..<2000 {
                let command = ["history", "rules", "why"][number % 3]
                try await rig.command("all", "all", #"{"command": "\#(command)"}"#, responseTopic: "vigil/v1/responses/att/1")
            }
            try await rig.sendNow("13", "heart-rate", 120)
            try await rig.command("12", "high", #"{"command": "history"}"#, responseTopic: "vigil/v1/responses/carer/1")
            try await eventually("the alarm") { rig.events.contains { $0.participant == "13" } }
            try await eventually("the carer's answer") { !rig.messages("responses/carer/").isEmpty }
            #expect(rig.messages("responses/carer/").allSatisfy { String(decoding: $0.payload, as: UTF8.self).contains(#""raised""#) })
            let texts = rig.messages("responses/att/").map { String(decoding: $0.payload, as: UTF8.self) }
            #expect(texts.allSatisfy { $0.contains(#""ok":true"#) || $0.contains("ask again later") })
        }
    }

    @Test("refuses what is too long, too deep, or holds a NUL, in words, and a command without a response topic by an event")
    func payloads() async throws {
        try await AlertRig.with(rules: Self.rules) { rig in
            try await rig.start()
            try await rig.sendNow("12", "heart-rate", 120)
            try await eventually("the first alarm") { rig.events.contains { $0.transition == "raised" } }
            let long = #"{"command": "acknowledge", "actor": "\#(String(repeating: "a", count: 3_000_000))"}"#
            let deep = #"{"command": "acknowledge", "actor": \#(String(repeating: "[", count: 60_000))"#
            for json in [long, deep, #"{"command": "acknowledge", "actor": "a\u0000b"}"#, "\u{0}", "[]", ""] {
                try await rig.command("12", "high", json)
            }
            try await rig.publisher.publish(
                OutgoingMessage(
                    topic: CommandRequest.topic(), payload: CommandRequest.payload(#"{"command": "clear", "actor": "quiet"}"#, rule: "high")
                ))
            try await eventually("six answers") { rig.messages("responses/").count == 6 }
            #expect(rig.messages("responses/").allSatisfy { String(decoding: $0.payload, as: UTF8.self).contains(#""ok":false"#) })
            try await eventually("the event") { rig.events.contains { $0.transition == "command-refused" && $0.actor == "quiet" } }
        }
    }

    @Test("does not carry out what was retained, neither at its start nor after the broker's")
    func retained() async throws {
        try await AlertRig.with(rules: Self.rules) { rig in
            let silence = #"{"command": "silence", "actor": "ghost", "reason": "long ago", "duration": "1h"}"#
            try await rig.publisher.publish(
                OutgoingMessage(
                    topic: CommandRequest.topic(), payload: CommandRequest.payload(silence, rule: "high"), retained: true))
            try await rig.start()
            try await rig.sendNow("12", "heart-rate", 120)
            try await eventually("the alarm") { rig.events.contains { $0.transition == "raised" } }
            #expect(!rig.events.contains { $0.transition == "silenced" })
        }
    }

    @Test("tells a broker again that forgot an alert which it had acknowledged, once, and repeats once after a start of its own")
    func forgetfulBroker() async throws {
        try await AlertRig.with(rules: Self.rules) { rig in
            try await rig.start()
            try await rig.sendNow("12", "heart-rate", 120)
            try await eventually("the alarm") { rig.states.count == 1 }
            try await rig.kill()
            try await rig.start()
            try await eventually("the repetition") { rig.messages("alert-events/").count == 2 }
            // Time for a second repetition, were there one: it would come two seconds after the connection.
            try await rig.sendNow("13", "heart-rate", 90)
            try await rig.server.kill()
            try await rig.server.start()
            try await eventually(within: .seconds(30), "the alarm once more") { rig.messages("alert-events/").count == 3 }
            #expect(Set(rig.messages("alert-events/").map(\.payload)).count == 1)
        }
    }
}
