import AlertRules
import Alerting
import Foundation
import MessageBus
import TestSupport
import Testing
import VigilSchema

@Suite("Commands to alerts")
struct CommandTests {
    private static let now: Int64 = 1_700_000_000_000_000

    private func refusal(_ json: String) throws -> String? {
        let command = try JSONDecoder().decode(CommandMessage.self, from: Data(json.utf8))
        if case .failure(let refusal) = command.request(now: Self.now) { return refusal.reason }
        return nil
    }

    @Test(
        "needs who, why and until when, within sane bounds",
        arguments: [
            (#"{"command": "acknowledge"}"#, "actor"), (#"{"command": "clear", "actor": "a"}"#, "clear needs a \"reason\""),
            (#"{"command": "clear", "actor": "a", "reason": "  "}"#, "clear needs a \"reason\""),
            (#"{"command": "set-threshold", "actor": "a", "value": 3}"#, "a threshold needs a \"reason\""),
            (#"{"command": "silence", "actor": "a", "reason": "b"}"#, "\"until\" or \"duration\""),
            (#"{"command": "silence", "actor": "a", "reason": "b", "duration": "0s"}"#, "\"duration\" must be one"),
            (#"{"command": "silence", "actor": "a", "reason": "b", "duration": "1h", "severity": "bad"}"#, "notice, warning or critical"),
            (#"{"command": "acknowledge", "actor": "a\u0000b"}"#, "\"actor\" holds a control character"),
            (#"{"command": "acknowledge", "actor": "a\u202Eb"}"#, "\"actor\" holds a control character"),
            (#"{"command": "acknowledge", "actor": "a", "reason": "x\ny"}"#, "\"reason\" holds a control character"),
            (#"{"command": "acknowledge", "actor": "a", "time": 1e15}"#, "ago"),
            (#"{"command": "nothing", "actor": "a"}"#, "there is no command"),
            (#"{"command": "acknowledge", "actor": "a", "time": 1700001000}"#, "not in the future"),
            (#"{"command": "set-profile", "actor": "a", "profile": {"born": "2050-01-01"}}"#, "130 years"),
            (#"{"command": "set-profile", "actor": "a", "profile": {"height": 1.8}}"#, "centimetres"),
            (#"{"command": "set-profile", "actor": "a", "profile": {"saturationScale": 3}}"#, "1 or 2"),
        ])
    func refused(_ json: String, _ words: String) throws {
        let reason = try refusal(json)
        // A time that no clock has counts as none given.
        #expect(words == "ago" ? reason == nil : reason?.contains(words) == true, "\(reason ?? "accepted")")
    }

    @Test("takes an actor of 200 bytes and no longer one")
    func longActor() throws {
        for length in [200, 201] {
            let actor = String(repeating: "a", count: length)
            let refused = try refusal(#"{"command": "acknowledge", "actor": "\#(actor)"}"#)
            #expect(refused == (length == 200 ? nil : "\"actor\" is 201 bytes long; a name has 200 at most"))
        }
    }

    @Test("takes names in any script, and a birth date as people write it")
    func accepted() throws {
        #expect(try refusal(#"{"command": "acknowledge", "actor": "د. ليلى", "reason": "נבדק"}"#) == nil)
        let command = try JSONDecoder().decode(
            CommandMessage.self, from: Data(#"{"command": "set-profile", "actor": "a", "profile": {"born": "1948-03-01"}}"#.utf8))
        guard case .success(let request) = command.request(now: Self.now), case .setProfile(let profile) = request.command else {

            Issue.record("refused")
            return
        }
        #expect(profile.born == -689_126_400_000_000)
        for born in [#""1948-3-1""#, #""01.03.1948""#, #""1948-02-30""#, #""""#, "true"] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(
                    CommandMessage.self, from: Data(#"{"command": "set-profile", "profile": {"born": \#(born)}}"#.utf8))
            }
        }
    }

    @Test("ends a clearance when it is told, else when the rule's longest is over")
    func clearance() throws {
        for (members, end) in [("", AlertCommand.asLongAsAllowed), (#", "duration": "30m""#, Self.now + 1_800_000_000)] {
            let json = #"{"command": "clear", "actor": "a", "reason": "b"\#(members)}"#
            let command = try JSONDecoder().decode(CommandMessage.self, from: Data(json.utf8))
            guard case .success(let request) = command.request(now: Self.now) else {
                Issue.record("refused")
                continue
            }
            #expect(request.command == .clear(until: end))
        }
    }
}
