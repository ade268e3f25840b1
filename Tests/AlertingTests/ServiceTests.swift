import AlertRules
import Alerting
import Foundation
import HTTPClient
import MessageBus
import SQLiteDatabase
import TestSupport
import Testing
import VigilSchema

@Suite("vigil-alert", .serialized, .timeLimit(.minutes(3)))
struct ServiceTests {
    private static let rules = """
        {rules: [{id: "high", metric: "heart-rate", title: {en: "Heart rate high", de: "Puls hoch"}, levels: [
          {severity: "warning", above: 110}, {severity: "critical", above: 130}], maximumAge: "10m", lateness: "1h", staleAfter: "2h",
          message: {en: "{title}: {value} {unit}", de: "{title}: {value} {unit}"}}]}
        """

    @Test("publishes every transition and keeps the present state retained until it is over")
    func lifecycle() async throws {
        try await AlertRig.with(rules: Self.rules) { rig in
            try await rig.start()
            try await rig.send("12", "heart-rate", 120, at: 0)
            try await eventually("the alert") { rig.events.count == 1 && rig.states.count == 1 }
            let event = try #require(rig.events.first)
            #expect(event.transition == "raised" && event.severity == "warning" && event.value == 120 && event.threshold == 110)
            #expect(event.message["de"] == "Puls hoch: 120 pro Minute.")
            try await rig.command("12", "high", #"{"command": "acknowledge", "actor": "Dr. A"}"#)
            try await eventually("the acknowledgement") { rig.events.last?.acknowledged == true && rig.events.last?.actor == "Dr. A" }
            try await rig.send("12", "heart-rate", 90, at: 1)
            try await eventually("the end") { rig.events.count == 3 && rig.states.isEmpty }
            #expect(rig.events.map(\.sequence) == [1, 2, 3])
        }
    }

    @Test("while its state is locked by another it tells critical alarms unconfirmed and is not ready; afterwards confirmed, once")
    func lockedState() async throws {
        try await AlertRig.with(rules: Self.rules) { rig in
            let port = try LoopbackPort.free()
            try await rig.start(["--http-port", "\(port)"])
            try await rig.sendNow("12", "heart-rate", 90)
            let ready = { @Sendable in await Self.readiness(port) }
            try await eventually("ready") { await ready().hasPrefix("ready") }
            do {
                let other = try Database(path: rig.folder.path("state/vigil-alert-main.state.sqlite"), durability: .full)
                try other.execute("BEGIN EXCLUSIVE")
                try await rig.sendNow("12", "heart-rate", 140)
                try await eventually(within: .seconds(20), "the unconfirmed alarm") { rig.events.contains { $0.unconfirmed == true } }
                try await eventually("not ready") { await ready().contains("nothing can be stored") }
                // A later reading, which the session cannot bring before the first is acknowledged.
                try await rig.sendNow("13", "heart-rate", 150)
                try await eventually(within: .seconds(20), "the second") { rig.events.filter { $0.unconfirmed == true }.count == 2 }
                #expect(rig.events.allSatisfy { $0.unconfirmed == true })
                try other.execute("ROLLBACK")
            }
            try await eventually(within: .seconds(60), "the confirmed alarms") { rig.events.filter { $0.unconfirmed != true }.count == 2 }
            let alarms = Set(rig.events.map { "\($0.participant) \($0.rule) \($0.sequence) \($0.transition)" })
            #expect(alarms == ["12 high 1 raised", "13 high 1 raised"])
            try await eventually("ready again") { await ready().hasPrefix("ready") }
        }
    }

    private static func readiness(_ port: UInt16) async -> String {
        let answer = try? await HTTPClient().get("http://127.0.0.1:\(port)/readyz", timeout: .seconds(5), limit: 65_536)
        return answer.map { String(decoding: $0.body, as: UTF8.self) } ?? ""
    }

    @Test("judges what vigil-stress derives as what sensors say")
    func derived() async throws {
        try await AlertRig.with(rules: Self.rules) { rig in
            try await rig.start()
            try await rig.send("12", "heart-rate", 120, at: 0, isDerived: true)
            try await eventually("the alert") { rig.events.map(\.transition) == ["raised"] }
            try await rig.send("12", "heart-rate", 90, at: 1)
            try await eventually("the end") { rig.events.count == 2 && rig.states.isEmpty }
        }
    }

    @Test("answers what is wrong with a command, and explains an alert")
    func answers() async throws {
        try await AlertRig.with(rules: Self.rules) { rig in
            try await rig.start()
            try await rig.send("12", "heart-rate", 120, at: 0)
            for (rule, json) in [
                ("hihg", #"{"command": "acknowledge", "actor": "A"}"#), ("high", "no json"), ("high", #"{"command": "clear"}"#),
                ("high", #"{"command": "why"}"#), ("high", #"{"command": "history"}"#), ("all", #"{"command": "rules"}"#),
                ("all", #"{"command": "why"}"#),
            ] { try await rig.command("12", rule, json) }
            try await eventually("seven answers") { rig.messages("responses/").count == 7 }
            let answers = rig.messages("responses/").map { String(decoding: $0.payload, as: UTF8.self) }
            let all = answers.joined(separator: "\n")
            #expect(all.contains("did you mean \\\"high\\\"?"))
            #expect(all.contains("no JSON object"))
            #expect(all.contains("clear needs a \\\"reason\\\""))
            #expect(all.contains("heart-rate: 120") && all.contains("limit 110"))
            #expect(all.contains("\"raised\""))
            #expect(all.contains("\"latching\":false"))
            // How far each metric may go before a rule alarms.
            #expect(all.contains(#""limits":[{"high":110,"metric":"heart-rate"}]"#))
        }
    }

    @Test("answers to no topic of the suite's own")
    func forgedTopic() async throws {
        try await AlertRig.with(rules: Self.rules) { rig in
            try await rig.start()
            let forged = Topic.alertEvent(participant: "12", rule: "high").path
            try await rig.command("12", "high", #"{"command": "rules"}"#, responseTopic: forged)
            try await rig.command("12", "high", #"{"command": "rules"}"#)
            try await eventually("the honest answer") { !rig.messages("responses/").isEmpty }
            #expect(rig.messages("alert-events/").isEmpty)
        }
    }

    @Test("judges a batch once, however often it comes")
    func repeatedBatch() async throws {
        let rules =
            #"{rules: [{id: "often", metric: "heart-rate", severity: "notice", above: 110, repeat: {count: 2, within: "1m"}, lateness: "1h"}]}"#
        try await AlertRig.with(rules: rules) { rig in
            try await rig.start()
            try await rig.send("12", "heart-rate", 120, at: 0, id: "01A")
            try await rig.send("12", "heart-rate", 120, at: 0, id: "01A")
            try await rig.send("13", "heart-rate", 120, at: 0, id: "01B")
            try await rig.send("13", "heart-rate", 120, at: 1, id: "01C")
            try await eventually("the second's alert") { !rig.events.isEmpty }
            #expect(rig.events.map(\.participant) == ["13"])
        }
    }

    @Test("reads changed rules at a start and clears the alerts of those that are gone")
    func changedRules() async throws {
        try await AlertRig.with(rules: Self.rules) { rig in
            try await rig.start()
            try await rig.send("12", "heart-rate", 120, at: 0)
            try await eventually("the alert") { rig.states.count == 1 }
            try await rig.kill()
            try rig.folder.write(#"{rules: [{id: "other", metric: "heart-rate", severity: "notice", above: 200}]}"#, to: "rules.json5")
            try await rig.start()
            try await eventually("the end") { rig.states.isEmpty }
            #expect(rig.events.last?.cause == "rules")
        }
    }

    @Test("reads the rules again on SIGHUP, and keeps the former where the new are wrong")
    func hangup() async throws {
        try await AlertRig.with(rules: Self.rules) { rig in
            try await rig.start()
            try rig.folder.write("{rules: [{}]}", to: "rules.json5")
            rig.signal(SIGHUP)
            try await eventually("the refusal") { rig.log.contains("the former stay in force") }
            try await rig.send("12", "heart-rate", 120, at: 0)
            try await eventually("the alert") { rig.states.count == 1 }
            try rig.folder.write(#"{rules: [{id: "other", metric: "heart-rate", severity: "notice", above: 200}]}"#, to: "rules.json5")
            rig.signal(SIGHUP)
            try await eventually("the end") { rig.states.isEmpty }
            #expect(rig.events.last?.cause == "rules")
        }
    }

    @Test("says file, line, column and what was meant, and does not start, when a rule is wrong")
    func wrongRules() async throws {
        try await AlertRig.with(rules: "{rules: [\n  {id: \"a\", metric: \"hart-rate\", severity: \"warning\", above: 1}]}") { rig in
            let failure = await #expect(throws: StartFailure.self) { try await rig.start() }
            #expect(
                failure?.description.contains("rules.json5:2:21: there is no metric \"hart-rate\"; did you mean \"heart-rate\"?") == true)
        }
    }
}
