import Foundation
import Testing

@testable import AlertRules

@Suite("A command's message")
struct CommandMessageTests {
    private static let now: Int64 = 1_700_000_000_000_000

    private static func message(_ members: String) throws -> CommandMessage {
        try JSONDecoder().decode(CommandMessage.self, from: Data("{\(members)}".utf8))
    }

    private static func refusal(_ members: String) throws -> String? {
        guard case .failure(let refusal) = try message(members).request(now: now) else { return nil }
        return refusal.reason
    }

    private static var profile: PersonFacts {
        var facts = PersonFacts()
        (facts.born, facts.isPregnant, facts.usesScale2, facts.height) = (-688_953_600_000_000, true, true, 1.75)
        return facts
    }

    @Test(
        "asks for what it says",
        arguments: [
            (#""command": "acknowledge""#, .acknowledge), (#""command": "unsilence""#, .unsilence),
            (#""command": "clear", "reason": "r""#, .clear(until: AlertCommand.asLongAsAllowed)),
            (#""command": "clear", "reason": "r", "until": 1700000600"#, .clear(until: 1_700_000_600_000_000)),
            (#""command": "silence", "reason": "r", "duration": "1m""#, .silence(until: 1_700_000_060_000_000, upTo: nil)),
            (
                #""command": "silence", "reason": "r", "until": 1700000060.5, "severity": "warning""#,
                .silence(until: 1_700_000_060_500_000, upTo: .warning)
            ),
            (
                #""command": "silence", "reason": "r", "duration": "1m", "time": 1699999990"#,
                .silence(until: 1_700_000_050_000_000, upTo: nil)
            ),
            (#""command": "set-threshold", "reason": "r", "severity": "critical", "value": 120.5"#, .setThreshold(.critical, 120.5)),
            (#""command": "set-threshold", "reason": "r""#, .setThreshold(nil, nil)),
            (#""command": "silence", "reason": "r", "duration": "0.001ms""#, .silence(until: 1_700_000_000_000_001, upTo: nil)),
            (
                #""command": "set-profile", "profile": {"born": "1948-03-03", "pregnant": true, "saturationScale": 2, "height": 175}"#,
                .setProfile(profile)
            ),
            (#""command": "set-profile", "profile": {"saturationScale": 1}"#, .setProfile(PersonFacts())),
        ] as [(String, AlertCommand)])
    func requests(members: String, command: AlertCommand) throws {
        let request = try Self.message(#""actor": "nurse", \#(members)"#).request(now: Self.now).get()
        #expect(request.command == command && request.actor == "nurse")
        #expect(request.time == (members.contains("\"time\"") ? Self.now - 10_000_000 : Self.now))
        #expect(request.reason == (members.contains("\"reason\"") ? "r" : nil))
    }

    static let actor = #""actor": "nurse", "reason": "r", "#

    @Test(
        "is refused with the reason",
        arguments: [
            (#""command": "acknowledge""#, #""actor" is missing: who gives the command"#),
            (#""command": "acknowledge", "actor": """#, #""actor" is missing: who gives the command"#),
            (#""command": "acknowledge", "actor": "a\u0007""#, #""actor" holds a control character"#),
            (#""command": "acknowledge", "actor": "a", "reason": "\u202e""#, #""reason" holds a control character"#),
            (actor + #""command": "acknowledge", "severity": "none""#, #""severity" must be notice, warning or critical"#),
            (actor + #""command": "acknowledge", "time": 946684799"#, #""time" must be in Unix seconds, and not in the future"#),
            (actor + #""command": "acknowledge", "time": 1700000301"#, #""time" must be in Unix seconds, and not in the future"#),
            (#""actor": "a", "command": "clear""#, #"clear needs a "reason""#),
            (#""actor": "a", "reason": " ", "command": "clear""#, #"clear needs a "reason""#),
            (#""actor": "a", "command": "silence", "duration": "1m""#, #"a silence needs a "reason""#),
            (#""actor": "a", "command": "set-threshold""#, #"a threshold needs a "reason""#),
            (actor + #""command": "silence""#, #"a silence needs "until" or "duration""#),
            (actor + #""command": "silence", "until": 1e11"#, #""until" must be in Unix seconds"#),
            (actor + #""command": "silence", "duration": "0s""#, #""duration" must be one: "30s", "5m", "1h30m""#),
            (actor + #""command": "clear", "duration": "soon""#, #""duration" must be one: "30s", "5m", "1h30m""#),
            (actor + #""command": "set-profile""#, #""profile" is missing"#),
            (actor + #""command": "set-profile", "profile": {"born": 1700000001}"#, #""born" must lie within the last 130 years"#),
            (actor + #""command": "set-profile", "profile": {"born": -2402403760}"#, #""born" must lie within the last 130 years"#),
            (actor + #""command": "set-profile", "profile": {"saturationScale": 3}"#, #""saturationScale" is 1 or 2"#),
            (actor + #""command": "set-profile", "profile": {"saturationScale": 0}"#, #""saturationScale" is 1 or 2"#),
            (actor + #""command": "set-profile", "profile": {"height": 29.9}"#, #""height" is in centimetres, 30 to 260"#),
            (actor + #""command": "set-profile", "profile": {"height": 260.1}"#, #""height" is in centimetres, 30 to 260"#),
        ])
    func refusals(members: String, reason: String) throws {
        #expect(try Self.refusal(members) == reason)
    }

    @Test(
        "is taken at its very limits",
        arguments: [#""time": 946684800"#, #""time": 1700000300"#, #""reason": "é""#])
    func edges(members: String) throws {
        #expect(try Self.refusal(#""actor": "nurse", "command": "acknowledge", \#(members)"#) == nil)
    }

    @Test(
        "takes a profile at its very limits",
        arguments: [#""born": 1700000000"#, #""born": -2402403759"#, #""height": 30"#, #""height": 260"#])
    func profiles(members: String) throws {
        #expect(try Self.refusal(#""actor": "nurse", "command": "set-profile", "profile": {\#(members)}"#) == nil)
    }

    @Test("names the command that there is not, and those that there are")
    func unknown() throws {
        let refusal = try #require(try Self.refusal(#""actor": "a", "command": "\#(String(repeating: "x", count: 50))""#))
        #expect(
            refusal == "there is no command \"\(String(repeating: "x", count: 40))\"; there are acknowledge, silence, unsilence, clear, "
                + "set-threshold, set-profile, why, history, rules, reload, notify-test, notifiers, export, erase")
    }

    @Test("keeps the first 500 characters of a reason, and a name of 200 bytes at most")
    func lengths() throws {
        let reason = String(repeating: "r", count: 501)
        let request = try Self.message(#""actor": "a", "command": "acknowledge", "reason": "\#(reason)""#).request(now: Self.now).get()
        #expect(request.reason == String(repeating: "r", count: 500))
        let one = "e" + String(repeating: "\u{301}", count: 5000)
        let endless = try Self.message(#""actor": "a", "command": "acknowledge", "reason": "\#(one)""#).request(now: Self.now).get()
        #expect(endless.reason?.utf8.count == 1999, "one character, of more bytes than are kept")
        for (count, isFine) in [(200, true), (201, false)] {
            let refusal = try Self.refusal(#""actor": "\#(String(repeating: "a", count: count))", "command": "acknowledge""#)
            #expect(refusal == (isFine ? nil : "\"actor\" is 201 bytes long; a name has 200 at most"))
        }
    }

    @Test(
        "texts are plain without control characters and marks that turn the direction of writing",
        arguments: [
            (0x1F, false), (0x20, true), (0x7E, true), (0x7F, false), (0x9F, false), (0xA0, true), (0x200D, true), (0x200E, false),
            (0x200F, false),
            (0x2010, true), (0x2027, true), (0x2028, false), (0x202E, false), (0x202F, true), (0x2065, true), (0x2066, false),
            (0x2069, false),
            (0x206A, true), (0xFEFE, true), (0xFEFF, false), (0xFF00, true), (0, false),
        ] as [(UInt32, Bool)])
    func plain(scalar: UInt32, isPlain: Bool) throws {
        let text = "a" + String(try #require(Unicode.Scalar(scalar))) + "b"
        #expect(CommandMessage.isPlain(text) == isPlain)
    }

    @Test("refuses a birth date that is none", arguments: ["1948-02-30", "1948-3-1", "1 March 1948", ""])
    func noDates(text: String) {
        #expect(throws: (any Error).self) { try Self.message(#""command": "set-profile", "profile": {"born": "\#(text)"}"#) }
    }
}
