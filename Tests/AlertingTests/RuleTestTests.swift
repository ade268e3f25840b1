import AlertRules
import Alerting
import Foundation
import ServiceKit
import Settings
import TestSupport
import Testing

@Suite("Tests of rules")
struct RuleTestTests {
    private static let shipped = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "deploy/rules/tests").path
    private static let rules = #"{rules: [{id: "high", metric: "heart-rate", severity: "warning", above: 110}]}"#

    @Test(
        "the shipped tests pass with the shipped rules and examples",
        arguments: try FileManager.default.contentsOfDirectory(atPath: RuleTestTests.shipped).sorted())
    func whole(file: String) async throws {
        try await RuleTrial.command(stored: nil).run(arguments: ["\(Self.shipped)/\(file)"], environment: [:])
    }

    @Test("shows what did not happen and what happened instead")
    func difference() throws {
        let result = try run(
            """
            {name: "t", readings: [{metric: "heart-rate", at: "0s", value: 120}, {metric: "heart-rate", at: "9s", value: 100}],
             expect: [{rule: "high", transition: "raised", severity: "warning", at: "0s"}, {rule: "high", transition: "cleared", at: "20s"}]}
            """)
        #expect(!result.hasPassed)
        #expect(
            result.lines == [
                .same("0s  high  raised  warning"), .missing("20s  high  cleared"), .unexpected("9s  high  cleared  warning"),
            ])
    }

    @Test("tells an alert that another keeps quiet from one that is heard, where it is asked")
    func inhibition() throws {
        let rules = """
            {rules: [{id: "low", metric: "heart-rate", severity: "critical", below: 40},
              {id: "high", metric: "heart-rate", severity: "warning", below: 50, inhibitedBy: ["low"]}]}
            """
        func lines(_ expected: String) throws -> [RuleTestResult.Line] {
            try run(
                """
                {name: "t", only: ["high"], readings: [{metric: "heart-rate", at: "0s", value: 35}],
                 expect: [{rule: "high", transition: "raised", inhibited: \(expected)}]}
                """, rules
            ).lines
        }
        #expect(try lines("true") == [.same("0s  high  raised  warning  inhibited")])
        #expect(
            try lines("false") == [
                .missing("any time  high  raised  not inhibited"), .unexpected("0s  high  raised  warning  inhibited"),
            ])
    }

    @Test("ends with exit code 1 where something else happens, and says everything that is wrong with a test file")
    func failures() async throws {
        let folder = try TemporaryFolder("rule-tests")
        try folder.write(Self.rules, to: "r.json5")
        let wrong = try folder.write(
            #"{rules: ["r.json5"], tests: [{name: "t", readings: [{metric: "heart-rate", at: "0s", value: 120}], expect: []}]}"#,
            to: "t.json5")
        let failure = await #expect(throws: CommandError.self) {
            try await RuleTrial.command(stored: nil).run(arguments: [wrong], environment: [:])
        }
        #expect(failure?.exitCode == .failure && failure?.description == "1 of 1 tests failed")
        let text = "{tests: [{nmae: 1, expect: [{rule: \"high\", transition: \"rised\"}]}]}"
        let broken = try folder.write(text, to: "b.json5")
        let damage = await #expect(throws: CommandError.self) {
            try await RuleTrial.command(stored: nil).run(arguments: [broken], environment: [:])
        }
        #expect(damage?.exitCode == .data)
        let problems = #expect(throws: RuleError.self) { try RuleTestReader.read(RuleFile(name: "b.json5", text: text)) }
        #expect(problems?.description.contains("did you mean \"raised\"?") == true)
        #expect(problems?.description.contains("\"name\" is missing") == true)
    }

    private func run(_ test: String, _ rules: String = Self.rules) throws -> RuleTestResult {
        let file = try RuleTestReader.read(RuleFile(name: "t.json5", text: "{tests: [\(test)]}"))
        let test = try #require(file.tests.first)
        return try test.run(rules: try RuleSetReader.read([RuleFile(name: "r.json5", text: rules)]), readings: test.readings)
    }
}
