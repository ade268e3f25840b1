import AlertRules
import MessageBus
import Synchronization
import Testing
import VigilSchema

@testable import Alerting

/// What the core decides, stores and gives out, without broker and network, beside `vigil-alert after a downtime`.
@Suite("Alert core over time", .timeLimit(.minutes(3)))
struct CoreCourseTests {
    private static func rules(_ members: String) -> String {
        #"{rules: [{id: "high", metric: "heart-rate", severity: "warning", above: 110, \#(members)}]}"#
    }
    private static let plain = rules("staleAfter: \"2h\"")
    private static let twice = rules(#"repeat: {count: 2, within: "1h"}, staleAfter: "2h""#)
    private static let delayed = rules(#"for: "10s", lateness: "0s", staleAfter: "2h""#)
    private static let acknowledge = #"{"command": "acknowledge", "actor": "nurse", "id": "1"}"#

    @Test("a reading that led to nothing yet is remembered after a kill, with or without a written state between", arguments: 0..<4)
    func remembers(checkpoints: Int) async throws {
        let core = try await CoreHarness(Self.twice)
        try await core.read(120)
        if checkpoints & 1 == 1 { try await core.checkpoint() }
        try await core.restart(at: 1)
        // A state that is written after the journal was read stands in for it too.
        if checkpoints & 2 == 2 { try await core.checkpoint() }
        try await core.restart(at: 2)
        try await core.drain()
        try await core.read(120)
        #expect(core.happened() == ["high raised"])
    }

    @Test("a batch that comes once more after a kill is not judged twice, and counted", arguments: [false, true])
    func repeatedBatch(checkpoints: Bool) async throws {
        let core = try await CoreHarness(Self.twice)
        try await core.read(120)
        if checkpoints { try await core.checkpoint() }
        try await core.restart(at: 1)
        try await core.redeliver()
        #expect(core.happened().isEmpty)
        #expect(core.counts.repeated.load(ordering: .relaxed) == 1 && core.counts.readings.load(ordering: .relaxed) == 0)
    }

    @Test("what a timer raised within seconds of a reading is told, and is so after a kill", arguments: [false, true])
    func timers(checkpoints: Bool) async throws {
        let core = try await CoreHarness(Self.rules(#"for: "3s", lateness: "0s", staleAfter: "2h""#))
        try await core.read(120)
        if checkpoints { try await core.checkpoint() }
        try await core.run(to: 3)
        #expect(core.happened() == ["high pending", "high raised"])
        if checkpoints { try await core.checkpoint() }
        try await core.restart(at: 4)
        // It is active already, before the clock goes on.
        try await core.command(Self.acknowledge, rule: "high")
        #expect(core.happened() == ["high acknowledged"])
    }

    @Test("a delay runs on after a kill, from the written state too", arguments: [false, true])
    func delays(checkpoints: Bool) async throws {
        let core = try await CoreHarness(Self.delayed)
        try await core.read(120)
        if checkpoints { try await core.checkpoint() }
        try await core.restart(at: 5)
        try await core.drain()
        try await core.run(to: 9)
        #expect(core.happened() == ["high pending"])
        try await core.run(to: 10)
        #expect(core.happened() == ["high raised"])
    }

    @Test("what a command did is so after a kill, and the same command once more does nothing", arguments: [false, true])
    func commands(checkpoints: Bool) async throws {
        let core = try await CoreHarness(Self.plain)
        try await core.read(120)
        let set = #"{"command": "set-threshold", "actor": "a", "reason": "r", "severity": "warning", "value": 130, "id": "7"}"#
        #expect(try await core.ask(set, rule: "high") == #"{"ok":true}"#)
        if checkpoints { try await core.checkpoint() }
        try await core.restart(at: 1)
        #expect(try await core.ask(set, rule: "high") == #"{"ok":true,"repeated":true}"#)
        #expect(core.happened() == ["high raised", "high threshold-changed", "high cleared"])
        try await core.read(125)
        #expect(core.happened().isEmpty)
        try await core.read(131)
        #expect(core.happened() == ["high raised"])
    }

    @Test("a command that says what another said is carried out, whatever its number, where the broker says that it has not sent it before")
    func reusedNumbers() async throws {
        let core = try await CoreHarness(Self.plain)
        let acknowledge = #"{"command": "acknowledge", "actor": "n"}"#
        for _ in 0..<2 {
            try await core.read(120)
            #expect(try await core.ask(acknowledge, rule: "high", number: 1, isRepeat: false) == #"{"ok":true}"#)
            #expect(try await core.ask(acknowledge, rule: "high", number: 1, isRepeat: true) == #"{"ok":true,"repeated":true}"#)
            try await core.read(90)
            #expect(core.happened() == ["high raised", "high acknowledged", "high cleared"])
        }
        // One with an id is the same however often it is sent.
        try await core.read(120)
        let named = #"{"command": "acknowledge", "actor": "n", "id": "7"}"#
        #expect(try await core.ask(named, rule: "high", number: 1, isRepeat: false) == #"{"ok":true}"#)
        #expect(try await core.ask(named, rule: "high", number: 1, isRepeat: false) == #"{"ok":true,"repeated":true}"#)
    }

    @Test("what waits at the broker is waited for ten seconds after the last that came")
    func hearing() async throws {
        let core = try await CoreHarness(Self.delayed)
        try await core.read(120)
        try await core.restart(at: 3600)
        try await core.run(to: 3609)
        try await core.read(90, of: "13", received: 9)
        try await core.run(to: 3619)
        #expect(core.happened() == ["high pending"])
        try await core.run(to: 3620)
        #expect(core.happened() == ["high raised"])
    }

    @Test("after a start what may not have been told is told once, and then only what is new")
    func leftOver() async throws {
        let core = try await CoreHarness(Self.plain)
        try await core.read(120)
        #expect(core.published("alert-events").count == 1)
        try await core.restart(at: 1)
        #expect(core.published("alert-events").count == 2)
        try await core.drain()
        try await core.read(90)
        #expect(core.published("alert-events").count == 3)
        await core.publishingFailed()
        try await core.read(121)
        // Three were acknowledged less than a minute ago, so all of them are told once more.
        #expect(core.published("alert-events").count == 6)
        try await core.read(90)
        #expect(core.published("alert-events").count == 7)
    }

    @Test("the state of an alert follows its newest value, retained, also after a start")
    func newestValue() async throws {
        let core = try await CoreHarness(Self.plain)
        try await core.read(120)
        try await core.run(to: 1)
        try await core.read(130)
        try await core.run(to: 4)
        #expect(core.published("alerts/").count == 1)
        try await core.run(to: 5)
        func states() throws -> [Double?] { try core.published("alerts/").map { try AlertMessage(decoding: $0.payload).value } }
        #expect(try states() == [120, 130])
        #expect(core.published("alerts/").allSatisfy { $0.retained && $0.topic == "vigil/v1/alerts/12/high" })
        try await core.read(140)
        try await core.restart(at: 6)
        try await core.drain()
        try await core.run(to: 7)
        // Given out once more, as of its transition, and then with its newest value.
        #expect(try states() == [120, 130, 120, 140])
    }

    @Test("an alert ended by hand is shown while it is kept quiet, and its end takes the state away")
    func clearedState() async throws {
        let core = try await CoreHarness(Self.plain)
        try await core.read(120)
        try await core.command(#"{"command": "clear", "actor": "a", "reason": "r", "duration": "10m"}"#, rule: "high")
        try await core.read(90)
        #expect(core.happened() == ["high raised", "high cleared", "high clear-ended"])
        #expect(core.published("alerts/").map(\.payload.isEmpty) == [false, false, true])
    }

    @Test("new rules end the alerts of those that are gone, at the time that it is, and keep the others' though their places change")
    func reload() async throws {
        func one(_ id: String, _ metric: String) -> String {
            #"{id: "\#(id)", metric: "\#(metric)", severity: "warning", above: 110, staleAfter: "2h"}"#
        }
        let (high, gone) = (one("high", "heart-rate"), one("gone", "heart-rate"))
        let core = try await CoreHarness("{rules: [\(gone), \(high)]}")
        try await core.read(120)
        try await core.checkpoint()
        _ = core.happened()
        core.wait(until: 7)
        let next = "{rules: [\(high), \(one("other", "x-other"))]}"
        try await core.reload(next)
        #expect(core.times() == [7], "gone cleared")
        #expect(await core.rules == [next])
        try await core.read(130)
        try await core.run(to: 13)
        // The state that follows the newest value is that of the rule at its new place.
        let state = try #require(core.published("alerts/").last)
        #expect(state.topic == "vigil/v1/alerts/12/high")
        #expect(try AlertMessage(decoding: state.payload).value == 130)
        try await core.restart(at: 14)
        #expect(await core.rules == [next])
        try await core.drain()
        _ = core.happened()
        try await core.read(90)
        #expect(core.happened() == ["high cleared"])
    }

    @Test("rules that change their places keep the alert also of somebody of whom nothing was heard since")
    func indices() async throws {
        func one(_ id: String, _ metric: String) -> String {
            #"{id: "\#(id)", metric: "\#(metric)", severity: "warning", above: 110, staleAfter: "2h"}"#
        }
        let core = try await CoreHarness("{rules: [\(one("high", "heart-rate"))]}")
        try await core.read(120)
        try await core.checkpoint()
        try await core.reload("{rules: [\(one("a", "x-a")), \(one("b", "x-b")), \(one("high", "heart-rate"))]}")
        try await core.restart(at: 1)
        try await core.command(Self.acknowledge, rule: "high")
        #expect(core.happened() == ["high raised", "high acknowledged"])
    }

    @Test("an erasure takes the retained alert back, and tells what was due of others first")
    func erasure() async throws {
        let core = try await CoreHarness(Self.delayed)
        try await core.read(120, of: "13")
        try await core.read(120)
        try await core.run(to: 2)
        core.wait(until: 12)
        try await core.erase("12")
        #expect(core.happened() == ["high pending", "high pending", "high raised", "high raised"])
        let last = try #require(core.published("alerts/").last)
        #expect(last.topic == "vigil/v1/alerts/12/high" && last.payload.isEmpty && last.retained)
        #expect(core.published("alerts/12").count == 3 && core.published("alerts/13").count == 2)
        let count = core.published("alerts/").count
        try await core.restart(at: 13)
        try await core.drain()
        #expect(core.published("alerts/12").count == 3 && core.published("alerts/13").count == 4, "only the other's may be told again")
        try await core.run(to: 30)
        #expect(core.published("alerts/").count == count + 2)
    }

    @Test("an acknowledgement of less than there is is refused in words, and over a restart nothing is acknowledged")
    func seen() async throws {
        let core = try await CoreHarness(Self.plain)
        try await core.read(120)
        let refused = try await core.ask(#"{"command": "acknowledge", "actor": "a", "severity": "notice"}"#, rule: "high")
        #expect(refused.contains("look at it again"))
        try await core.restart(at: 1)
        #expect(try await core.ask(#"{"command": "acknowledge", "actor": "a", "severity": "warning"}"#, rule: "high") == #"{"ok":true}"#)
        #expect(core.happened() == ["high raised", "high acknowledged"])
    }
}
