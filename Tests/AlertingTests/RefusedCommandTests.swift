import AlertRules
import MessageBus
import Testing
import VigilSchema

@testable import Alerting

/// Commands that were refused and come again: by an app that heard no answer, or from a broker after a kill.
@Suite("A refused command that comes again", .timeLimit(.minutes(3)))
struct RefusedCommandTests {
    private static let rules = """
        {rules: [{id: "high", metric: "heart-rate", staleAfter: "2h", levels: [
            {severity: "warning", above: 110}, {severity: "critical", above: 130}]}]}
        """
    private static let none = "there is no active alert of this rule for this participant"

    private static func refused(_ reason: String, isRepeated: Bool = false) -> String {
        #"{"error":"\#(reason)","ok":false\#(isRepeated ? #","repeated":true"# : "")}"#
    }

    @Test(
        "is refused for the same reason, and acknowledges no alert that began since, after a kill either",
        arguments: [#", "id": "1""#, #", "time": 1700000000"#, ""], [false, true])
    func acknowledgement(named: String, isKilled: Bool) async throws {
        let core = try await CoreHarness(Self.rules)
        let acknowledge = #"{"command": "acknowledge", "actor": "nurse"\#(named)}"#
        #expect(try await core.ask(acknowledge, rule: "high", number: 7) == Self.refused(Self.none))
        try await core.read(120)
        if isKilled { try await core.restart(at: 1) }
        for _ in 0..<2 {
            #expect(try await core.ask(acknowledge, rule: "high", number: 7) == Self.refused(Self.none, isRepeated: true))
        }
        // From what is stored as a whole too, and from the journal behind it.
        try await core.checkpoint()
        if isKilled { try await core.restart(at: 2) }
        #expect(try await core.ask(acknowledge, rule: "high", number: 7) == Self.refused(Self.none, isRepeated: true))
        #expect(core.happened() == ["high raised"])
        let again = #"{"command": "acknowledge", "actor": "nurse", "id": "2"}"#
        for answer in [#"{"ok":true}"#, #"{"ok":true,"repeated":true}"#] {
            #expect(try await core.ask(again, rule: "high", number: 8) == answer)
        }
        #expect(core.happened() == ["high acknowledged"])
    }

    @Test("sets no limit, and nobody hears that it did", arguments: [false, true])
    func threshold(isKilled: Bool) async throws {
        let core = try await CoreHarness(Self.rules)
        func set(_ value: Int, _ severity: String, id: String) async throws -> String {
            try await core.ask(
                #"{"command": "set-threshold", "actor": "a", "reason": "r", "severity": "\#(severity)", "value": \#(value), "id": "\#(id)"}"#,
                rule: "high")
        }
        let reason = "the level critical has the limit 130: the worse must lie beyond the milder"
        #expect(try await set(140, "warning", id: "1") == Self.refused(reason))
        #expect(try await set(150, "critical", id: "2") == #"{"ok":true}"#)
        if isKilled { try await core.restart(at: 1) }
        #expect(try await set(140, "warning", id: "1") == Self.refused(reason, isRepeated: true), "it would be possible by now")
        try await core.read(120)
        #expect(core.happened() == ["high threshold-changed", "high raised"])
    }

    @Test("what a rule's absence refused is refused, and what was carried out stays so, whatever the rules by then")
    func otherRules() async throws {
        let core = try await CoreHarness(Self.rules)
        try await core.read(120)
        let acknowledge = #"{"command": "acknowledge", "actor": "n", "id": "1"}"#
        #expect(try await core.ask(acknowledge, rule: "high") == #"{"ok":true}"#)
        #expect(try await core.ask(acknowledge, rule: "other") == Self.refused("there is no rule \\\"other\\\""))
        try await core.reload(#"{rules: [{id: "other", metric: "heart-rate", severity: "warning", above: 110}]}"#)
        try await core.read(121)
        #expect(try await core.ask(acknowledge, rule: "high") == #"{"ok":true,"repeated":true}"#)
        #expect(
            try await core.ask(acknowledge, rule: "other") == Self.refused("there is no rule \\\"other\\\"", isRepeated: true))
        #expect(core.happened() == ["high raised", "high acknowledged", "high cleared", "other raised"])
    }

    @Test("under the number of another, which the broker gives anew, is judged by itself")
    func reusedNumber() async throws {
        let core = try await CoreHarness(Self.rules)
        let acknowledge = #"{"command": "acknowledge", "actor": "n"}"#
        #expect(try await core.ask(acknowledge, rule: "high", number: 1, isRepeat: false) == Self.refused(Self.none))
        #expect(try await core.ask(acknowledge, rule: "high", number: 1, isRepeat: true) == Self.refused(Self.none, isRepeated: true))
        try await core.read(120)
        #expect(try await core.ask(acknowledge, rule: "high", number: 1, isRepeat: false) == #"{"ok":true}"#)
        try await core.restart(at: 1)
        #expect(try await core.ask(acknowledge, rule: "high", number: 1, isRepeat: true) == #"{"ok":true,"repeated":true}"#)
        #expect(core.happened() == ["high raised", "high acknowledged"])
    }

    @Test("of all rules, what cannot be done of one is told by name, and where no alert is none need be acknowledged")
    func all() async throws {
        let core = try await CoreHarness(
            """
            {rules: [{id: "high", metric: "heart-rate", severity: "warning", above: 110},
                {id: "higher", metric: "heart-rate", severity: "critical", above: 130}]}
            """)
        #expect(try await core.ask(#"{"command": "acknowledge", "actor": "n", "id": "0"}"#, rule: "all") == #"{"ok":true}"#)
        try await core.read(140)
        let seen = #"{"command": "acknowledge", "actor": "n", "severity": "warning", "id": "1"}"#
        let reason = "higher: the alert is critical by now, and the one that was seen was warning: look at it again"
        #expect(try await core.ask(seen, rule: "all") == Self.refused(reason))
        #expect(try await core.ask(seen, rule: "all") == Self.refused(reason, isRepeated: true))
        #expect(core.happened() == ["high raised", "higher raised", "high acknowledged"])
        let past = #"{"command": "silence", "actor": "n", "reason": "r", "until": 1, "id": "2"}"#
        #expect(try await core.ask(past, rule: "all") == Self.refused("high: the end lies in the past"))
    }

    @Test("the outcomes of 8,192 are known, in their order")
    func capacity() throws {
        var known = RecentBatches()
        for number in 0..<8193 { _ = known.note("command \(number)", refusal: number % 2 == 0 ? "no, \(number)\n!" : nil) }
        _ = known.note("command 8191", refusal: "other")
        for known in [known, try RecentBatches(decoding: known.encoded)] {
            #expect(known.verdict(on: "command 0") == nil && known.verdict(on: "command 1") == .init())
            #expect(known.verdict(on: "command 2") == .init(refusal: "no, 2\n!") && known.verdict(on: "command 3") == .init())
            #expect(known.verdict(on: "command 8191") == .init(refusal: "other"))
            #expect(known.verdict(on: "command 8192") == .init(refusal: "no, 8192\n!"))
        }
    }
}
