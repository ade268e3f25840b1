import AlertRules
import Alerting
import Foundation
import Testing

/// Every example of deploy/docs/reference/alerting.md, tried as somebody would who copies it.
@Suite("The document on alerting")
struct DocumentTests {
    private static let deploy = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "deploy")
    private static let text = (try? String(contentsOf: deploy.appending(path: "docs/reference/alerting.md"), encoding: .utf8)) ?? ""

    /// The blocks of a language.
    private static func blocks(_ language: String) -> [String] {
        text.components(separatedBy: "```\(language)\n").dropFirst().compactMap { $0.components(separatedBy: "\n```").first }
    }

    private static var shipped: RuleSet {
        get throws { try RuleSetReader.read(try RuleFolder.read(deploy.appending(path: "rules").path)) }
    }

    @Test("shows a rule that is read, and keeps what it names")
    func rule() throws {
        let text = try #require(Self.blocks("json5").first { $0.hasPrefix("{rules: [{") })
        let rules = try RuleSetReader.read([RuleFile(name: "example.json5", text: text)])
        let rule = try #require(rules.rules.first)
        #expect(rule.levels.map(\.severity) == [.warning, .critical] && rule.schedule != nil && rule.escalations.count == 1)
        let known = try RuleFolder.read(Self.deploy.appending(path: "rules/vital-signs-adult.json5").path)
        let other = RuleFile(name: "example.json5", text: text.replacing("heart-rate-high", with: "own-rule"))
        #expect(try RuleSetReader.read(known + [other]).warnings.isEmpty)
    }

    @Test("shows a test that passes")
    func test() throws {
        let text = try #require(Self.blocks("json5").first { $0.contains("tests: [{") })
        let path = Self.deploy.appending(path: "rules/tests/example.json5").path
        let file = try RuleTestReader.read(RuleFile(name: path, text: text))
        let test = try #require(file.tests.first)
        #expect(test.recordings.count == 1 && test.stored != nil && test.also == ["pending"])
        let rules = try RuleSetReader.read(try file.rules.flatMap { try RuleFolder.read($0) })
        let result = try test.run(rules: rules, readings: test.readings)
        #expect(result.hasPassed, "\(result.lines)")
    }

    @Test(
        "shows conditions that are read",
        arguments: [
            "underAge: [{years: 0.25, limit: 181}, …]", #"{default: 110, child: 140, …}"#, #""[degF]""#,
            #"take: "fall", after: {metric: "x-posture", equals: "standing"}, within: "3m", atLeast: 20"#,
            #"{metric: "blood-glucose", in: "20m", below: 70}"#, #""heart-rate / systolic-pressure""#, "{saturationScale: 2}",
            "{pregnant: false}",
            "{default: 0.8, percentile: 97, halfLife: \"7d\", minimumReadings: 2000, atLeast: 0.6}",
        ])
    func snippets(snippet: String) throws {
        #expect(Self.text.contains(snippet), "the document no longer shows it")
        let rule: String =
            switch snippet {
            case _ where snippet.hasPrefix("underAge"):
                "metric: \"heart-rate\", above: {default: 104, \(snippet.replacing(", …", with: ""))}"
            case _ where snippet.hasPrefix("{default: 110"): "metric: \"heart-rate\", above: \(snippet.replacing(", …", with: ""))"
            case _ where snippet.hasPrefix("{default: 0.8"): "metric: \"stress-level\", above: \(snippet)"
            case #""[degF]""#: "metric: \"body-temperature\", above: 100.4, unit: \(snippet)"
            case _ where snippet.hasPrefix("take"): "metric: \"systolic-pressure\", \(snippet)"
            case _ where snippet.hasPrefix("{metric"): "predict: \(snippet), staleAfter: \"20m\""
            case _ where snippet.hasPrefix("\"heart"): "expression: \(snippet), as: \"shock-index\", above: 1"
            default: "metric: \"heart-rate\", above: 110, profile: \(snippet)"
            }
        let text = "{rules: [{id: \"a\", severity: \"warning\", \(rule)}]}"
        #expect(try RuleSetReader.read([RuleFile(name: "snippet.json5", text: text)]).rules[0].id == "a")
    }

    @Test("names every transition and every member of a command that there is")
    func vocabulary() throws {
        for transition in AlertEvent.Transition.allCases {
            #expect(Self.text.contains("`\(transition.rawValue)`"), "\(transition.rawValue)")
        }
        for command in CommandMessage.changing { #expect(Self.text.contains("`\(command)`"), "\(command)") }
        let command = try #require(Self.blocks("json").first { $0.contains("\"command\"") })
        let message = try JSONDecoder().decode(CommandMessage.self, from: Data(command.utf8))
        let request = message.request(now: 1_700_000_000_000_000)
        #expect((try? request.get())?.actor == "Dr. A")
    }
}
