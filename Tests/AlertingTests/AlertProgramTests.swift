import AlertRules
import Foundation
import ServiceKit
import Settings
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import Alerting

@Suite("What vigil-alert prints of rules", .timeLimit(.minutes(2)))
struct AlertProgramTests {
    private static let rules = #"{rules: [{id: "high", metric: "heart-rate", severity: "warning", above: 110}]}"#
    private static let recording = "participant-id,timestamp,heart-rate\n1,1700000000,120\n1,1700000060,90\n"

    /// What the program wrote to standard output and its exit code.
    private static func run(_ arguments: String..., in folder: TemporaryFolder) async throws -> (output: String, code: Int32) {
        let child = try ChildProcess(
            BuiltProgram.path("vigil-alert"), arguments, output: folder.path("output-\(UUID().uuidString)"), errors: folder.path("errors"))
        let code = try await child.waitForExit()
        return (child.output, code)
    }

    private static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder("alert-program")
        try folder.write(rules, to: "r.json5")
        try folder.write(recording, to: "r.csv")
        return folder
    }

    private static func test(_ name: String, end: String) -> String {
        """
        {name: "\(name)", readings: [{metric: "heart-rate", at: "0s", value: 120}, {metric: "heart-rate", at: "9s", value: 100}],
          expect: [{rule: "high", transition: "raised", severity: "warning", at: "0s"}, {rule: "high", transition: "cleared", at: "\(end)"}]}
        """
    }

    @Test("each test's result, and how many passed, or how many failed and with what")
    func tests() async throws {
        let folder = try Self.folder()
        let good = try folder.write(
            "{rules: [\"r.json5\"], tests: [\(Self.test("a", end: "9s")), \(Self.test("b", end: "9s"))]}", to: "good.json5")
        let passed = try await Self.run("test", good, in: folder)
        #expect(passed.output == "ok    a\nok    b\n2 tests passed\n" && passed.code == 0)
        let bad = try folder.write(
            "{rules: [\"r.json5\"], tests: [\(Self.test("c", end: "20s")), \(Self.test("d", end: "9s"))]}", to: "bad.json5")
        let failed = try await Self.run("test", good, bad, in: folder)
        let lines = """
            ok    a
            ok    b
            FAIL  c
                    0s  high  raised  warning
                  + 9s  high  cleared  warning  (happened, not expected)
                  - 20s  high  cleared  (expected, did not happen)
            ok    d

            """
        #expect(failed.output.split(separator: "\n").sorted() == lines.split(separator: "\n").sorted() && failed.code == 1)
        #expect(failed.output.hasPrefix("ok    a\nok    b\nFAIL  c\n        0s"))
        #expect(try String(contentsOfFile: folder.path("errors"), encoding: .utf8).contains("1 of 4 tests failed"))
    }

    private static let summary = "2 readings, 0.02 person-hours, 1 medical alerts (60.0 a person-hour), 0 technical"

    @Test("of a recording each transition and the sums; the sums alone where it is asked to be quiet; a table and a comparison where asked")
    func recording() async throws {
        let folder = try Self.folder()
        let (rules, recording) = (folder.path("r.json5"), folder.path("r.csv"))
        let plain = try await Self.run("test", "--rules", rules, recording, in: folder).output.split(separator: "\n").map(String.init)
        #expect(plain.count == 3 && plain.last == Self.summary)
        #expect(plain.first?.hasPrefix("2023-11-14T22:13:20Z  1  high  raised  warning  ") == true)
        #expect(plain.dropFirst().first?.hasPrefix("2023-11-14T22:14:20Z  1  high  cleared  warning  ") == true)
        #expect(try await Self.run("test", "--rules", rules, "--quiet", recording, in: folder).output == Self.summary + "\n")
        let burden = try await Self.run("test", "--rules", rules, "--quiet", "--burden", recording, in: folder).output
        #expect(burden.hasPrefix(Self.summary + "\n\n| rule | alarms | a person-day | crossings of 2 min and more | missed |\n"))
        let naive = try await Self.run("test", "--rules", rules, "--quiet", "--naive", recording, in: folder).output
        #expect(naive == Self.summary + "\na naive threshold would have raised 1 medical alerts: factor 1.0\n")
    }

    @Test("a recording and tests are both played, and without either the program says what is missing")
    func both() async throws {
        let folder = try Self.folder()
        let good = try folder.write("{rules: [\"r.json5\"], tests: [\(Self.test("a", end: "9s"))]}", to: "good.json5")
        let output = try await Self.run(
            "test", "--rules", folder.path("r.json5"), "--quiet", good, folder.path("r.csv"), in: folder
        ).output
        #expect(output == Self.summary + "\nok    a\n1 tests passed\n")
        let nothing = await #expect(throws: CommandError.self) {
            try await RuleTrial.command(stored: nil).run(arguments: [], environment: [:])
        }
        #expect(nothing?.exitCode == .usage && nothing?.description == "nothing to play: name test files or recordings")
    }

    @Test("that rules are well is said with their number, and what is not with the number of problems")
    func check() async throws {
        let folder = try Self.folder()
        let well = try await Self.run("check", folder.path("r.json5"), in: folder)
        #expect(well.output.hasPrefix("1 files, ") && well.output.hasSuffix(" rules: all is well\n") && well.code == 0)
        for (text, words) in [("{rules: [{id: \"a\"}]}", "there "), ("{rules: 7}", "there is a problem")] {
            let path = try folder.write(text, to: "bad.json5")
            let error = await #expect(throws: CommandError.self) { try await AlertTools.check.run(arguments: [path], environment: [:]) }
            #expect(error?.exitCode == .data && error?.description.hasPrefix(words) == true, "\(error?.description ?? "")")
        }
        let two = try folder.write(
            "{rules: [{id: \"a\", metric: \"heart-rate\", severity: \"warning\", above: 110, x: 1, y: 2}]}", to: "two.json5")
        let error = await #expect(throws: CommandError.self) { try await AlertTools.check.run(arguments: [two], environment: [:]) }
        #expect(error?.description == "there are 2 problems")
        let service = try folder.write("{url: \"https://x\"}", to: "service.json5")
        #expect(try await Self.run("check", service, in: folder).output == "1 files, 0 rules, 1 services: all is well\n")
        let wrong = try folder.write("{url: \"https://x/{topik}\"}", to: "wrong.json5")
        #expect(try await Self.run("check", wrong, in: folder).code == ExitCode.data.rawValue)
        #expect(try String(contentsOfFile: folder.path("errors"), encoding: .utf8).contains("wrong.json5:1:7: there is no value \"topik\""))
    }

    /// A store that notes what it was asked for.
    private final class Stored: Sendable {
        let asked = Mutex<[RuleTest.StoredRange]>([])

        func readings(_ range: RuleTest.StoredRange?) -> StoredReadings {
            StoredReadings(
                settings: [], range: { _ in range },
                read: { _, range in
                    self.asked.withLock { $0.append(range) }
                    return [
                        ReplayReading(participant: range.participant, metric: "heart-rate", time: range.from, value: .number(120))
                    ]
                })
        }
    }

    @Test("what a store holds is played where a test or the command line names it, and refused where no store can be read")
    func stored() async throws {
        let folder = try Self.folder()
        let test = try folder.write(
            """
            {rules: ["r.json5"], tests: [{name: "t", store: {participant: "9", from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z"},
              expect: [{rule: "high", transition: "raised"}]}]}
            """, to: "t.json5")
        let stored = Stored()
        try await RuleTrial.command(stored: stored.readings(nil)).run(arguments: [test], environment: [:])
        let day = try #require(stored.asked.withLock { $0.first })
        #expect(day.participant == "9" && day.to - day.from == 86_400_000_000)
        let error = await #expect(throws: CommandError.self) {
            try await RuleTrial.command(stored: nil).run(arguments: [test], environment: [:])
        }
        #expect(error?.exitCode == .usage && error?.description.contains("\"store\" can be read by vigil alerts test only") == true)
        let range = RuleTest.StoredRange(participant: "7", from: 0, to: 1)
        try await RuleTrial.command(stored: stored.readings(range)).run(
            arguments: ["--rules", folder.path("r.json5"), "--quiet"], environment: [:])
        #expect(stored.asked.withLock { $0.map(\.participant) } == ["9", "7"])
        let nothing = await #expect(throws: CommandError.self) {
            try await RuleTrial.command(stored: stored.readings(nil)).run(arguments: [], environment: [:])
        }
        #expect(nothing?.description == "nothing to play: name test files or recordings, or --participant, --from and --to")
    }

    @Test("a transition is a line, with who did it and why where somebody did, and whether it is stored")
    func line() {
        var event = AlertMessage(
            participant: "12", rule: "high", sequence: 1, transition: "raised", cause: "reading", time: 1_700_000_000, decided: 0,
            state: "active", severity: "critical", priority: "high", kind: "medical", group: "g", since: 0,
            message: ["en": "Fast.", "de": "Schnell."])
        #expect(AlertTools.line(event) == "2023-11-14T22:13:20Z  12  high  raised  critical  Fast.")
        #expect(AlertTools.line(event, language: "de").hasSuffix("  Schnell."))
        (event.transition, event.actor, event.reason, event.unconfirmed) = ("silenced", "n", "bath", true)
        #expect(AlertTools.line(event) == "2023-11-14T22:13:20Z  12  high  silenced (unconfirmed) by n (bath)  critical  Fast.")
        event.unconfirmed = false
        #expect(AlertTools.line(event) == "2023-11-14T22:13:20Z  12  high  silenced by n (bath)  critical  Fast.")
    }
}
