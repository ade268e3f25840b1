import AlertRules
import Foundation
import Glibc
import MessageBus
import SuiteHarness
import TestSupport
import Testing
import TimelineStore
import VigilSchema

@testable import Alerting

@Suite("vigil-alert as replicas", .serialized, .timeLimit(.minutes(10)))
struct AlertReplicaTests {
    private static let rules = """
        {rules: [{id: "high", metric: "heart-rate", levels: [{severity: "warning", above: 110}, {severity: "critical", above: 150}],
          maximumAge: "10h", lateness: "10h", staleAfter: "12h"}]}
        """
    private static let people = (0..<12).map { "p\($0)" }

    @Test("two replicas judge everybody once, and a question is answered once, whoever asks")
    func sharesTheWork() async throws {
        try await ReplicaRig.with(rules: Self.rules, shares: 4) { replicas in
            let (rig, both) = (replicas.rig, try ["a", "b"].map { try replicas.replica($0) })
            for one in both { try await one.start() }
            try await replicas.waitUntilOwned(["a": 2, "b": 2])
            try await replicas.waitUntilJudging()
            for person in Self.people { try await rig.send(person, "heart-rate", 120, at: 0) }
            try await eventually("an alarm each") { rig.events.count >= Self.people.count }
            for person in Self.people {
                try await rig.command(person, "high", #"{"command": "acknowledge", "actor": "nurse", "id": "1"}"#)
                try await rig.command(person, "high", #"{"command": "why"}"#)
            }
            for command in ["rules", "history", "reload"] { try await rig.command("all", "all", #"{"command": "\#(command)"}"#) }
            let answers = { rig.messages("responses/p").count + rig.messages("responses/all").count }
            try await eventually("the answers") { answers() >= Self.people.count * 2 + 3 }
            try await eventually("the acknowledgements") { rig.events.count >= Self.people.count * 2 }
            let history = rig.messages("responses/all").map { String(decoding: $0.payload, as: UTF8.self) }.first { $0.contains("events") }
            #expect(history?.components(separatedBy: "\"raised\"").count == Self.people.count + 1, "\(history ?? "no history")")
            for one in both { try await one.stop() }
            #expect(answers() == Self.people.count * 2 + 3)
            #expect(rig.events.count == Self.people.count * 2 && rig.states.count == Self.people.count)
            #expect(try replicas.psql("SELECT count(*) FROM vigil_alert.lease WHERE owner IS NOT NULL") == "0")
        }
    }

    @Test("keeps to the rules that it was given last: over a restart of the broker, and at a replica whose folder was not kept up")
    func rulesStay() async throws {
        try await ReplicaRig.with(rules: Self.rules, shares: 4) { replicas in
            let (rig, a) = (replicas.rig, try replicas.replica("a"))
            try await a.start()
            try await replicas.waitUntilOwned(["a": 4])
            try await replicas.waitUntilJudging()
            let tight = Self.rules.replacing("110", with: "90").replacing("150", with: "100")
            try rig.folder.write(Self.rules, to: "former.json5")
            try rig.folder.write(tight, to: "rules.json5")
            try await rig.command("all", "all", #"{"command": "reload"}"#)
            func limits() throws -> String {
                try replicas.psql("SELECT count(*) FROM vigil_alert.rule_file WHERE text LIKE '%above: 100%'")
            }
            try await eventually("the rules of all; \(a.lastLines)") { try limits() == "4" }
            for person in Self.people { try await rig.send(person, "heart-rate", 130, at: 0) }
            try await eventually("an alarm each") { rig.events.count >= Self.people.count }
            try await rig.server.stop()
            let end = ContinuousClock.now
            // So long that the database would count as silent, had anybody asked it.
            try await eventually("three seconds") { ContinuousClock.now - end > .seconds(3) }
            try await rig.server.start()
            try await Self.answers(rig, "restarted")
            #expect(try limits() == "4")
            // The other has the folder of before.
            let b = try replicas.replica("b", rules: "former.json5")
            try await b.start()
            for share in 0..<4 { try await replicas.state.leases.move(share, of: "vigil-alert", to: "b") }
            try await replicas.waitUntilOwned(["b": 4])
            try await Self.answers(rig, "moved")
            #expect(try limits() == "4" && b.said("the rules here were replaced before"))
            #expect(rig.events.allSatisfy { $0.transition == "raised" } && rig.events.count == Self.people.count)
            #expect(rig.events.allSatisfy { $0.unconfirmed == nil })
            // Where somebody wants them, they are taken.
            try await rig.command("all", "all", #"{"command": "reload"}"#)
            try await eventually("the former rules; \(b.lastLines)") { try limits() == "0" }
            try await eventually("no alarm is critical") { rig.states.values.allSatisfy { $0.severity != "critical" } }
            for one in [a, b] { try await one.stop() }
        }
    }

    /// Returns once everybody's owner has answered.
    private static func answers(_ rig: AlertRig, _ name: String) async throws {
        for person in people {
            try await rig.command(person, "high", #"{"command": "why"}"#, responseTopic: "vigil/v1/responses/\(name)/\(person)")
        }
        try await eventually(within: .seconds(60), "the answers") {
            Set(rig.messages("responses/\(name)/").map(\.topic)).count == people.count
        }
    }

    @Test(
        "tells a critical alarm while the database is frozen or gone, and once again as it is stored",
        arguments: [true, false])
    func databaseAway(isFrozen: Bool) async throws {
        try await ReplicaRig.with(rules: Self.rules, shares: 4) { replicas in
            let (rig, one) = (replicas.rig, try replicas.replica("a"))
            try await one.start()
            try await replicas.waitUntilOwned(["a": 4])
            try await replicas.waitUntilJudging()
            for person in Self.people { try await rig.send(person, "heart-rate", 100, at: 0) }
            try await rig.send("p0", "heart-rate", 160, at: 1)
            try await eventually("an alarm as usual") { rig.events.count == 1 }
            if isFrozen { replicas.server.signalAll(SIGSTOP) } else { try replicas.server.stopImmediately() }
            let crossing = ContinuousClock.now
            // One after the other, and none waits for the acknowledgement of those before.
            var waits: [Duration] = []
            for (number, person) in Self.people.enumerated().dropFirst() {
                let sent = ContinuousClock.now
                try await rig.send(person, "heart-rate", 160, at: 1)
                try await eventually(within: .seconds(20), "the unconfirmed alarm of \(person); \(one.lastLines)") {
                    rig.events.contains { $0.participant == person && $0.unconfirmed == true }
                }
                waits.append(ContinuousClock.now - sent)
                #expect(rig.events.count == number + 1)
            }
            print("unconfirmed after", waits.map { "\($0 / .seconds(1))" })
            try await eventually("who looks on sees them") {
                rig.states.values.count { $0.unconfirmed == true } == Self.people.count - 1
            }
            try await eventually("twenty seconds") { ContinuousClock.now - crossing > .seconds(20) }
            #expect(rig.events.count == Self.people.count, "nothing twice")
            if isFrozen { replicas.server.signalAll(SIGCONT) } else { try replicas.server.start() }
            let back = ContinuousClock.now
            try await eventually("the confirmed alarms; \(one.lastLines)") { rig.events.count == Self.people.count * 2 - 1 }
            print("confirmed after", (ContinuousClock.now - back) / .seconds(1))
            for person in Self.people.dropFirst() {
                let told = rig.events.filter { $0.participant == person }
                var expected = told.last
                expected?.unconfirmed = true
                #expect(told.count == 2 && told.first == expected, "the same but for the mark")
            }
            try await eventually("the states as they are stored") {
                rig.states.values.allSatisfy { $0.unconfirmed == nil } && rig.states.count == Self.people.count
            }
            try await rig.send("p0", "heart-rate", 90, at: 2)
            try await eventually("the work goes on") { rig.states.count == Self.people.count - 1 }
            try await one.stop()
            #expect(rig.events.count == Self.people.count * 2)
        }
    }
}
