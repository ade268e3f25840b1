import AlertRules
import Foundation
import JSON5
import Settings
import VigilSchema

/// A file of route tests: `{notifiers, rules, tests: [{name, person, severity, at, expect, muted}]}`.
struct RouteTestFile {
    /// One question, and who is to hear.
    struct Test {
        let name: String
        let subject: RouteSubject
        let escalations: [String]
        let time: Int64
        let expected: Set<String>
        let muted: Set<String>
    }

    let notifiers: String
    let rules: [String]
    let tests: [Test]

    /// Nil where the file is none of route tests.
    static func read(_ file: RuleFile) throws(RuleError) -> RouteTestFile? {
        let problems = JSON5Problems()
        guard let value = try? JSON5Parser.parse(file.text), var object = JSON5Object(value, as: "route tests", problems: problems),
            object.has("notifiers")
        else { return nil }
        let reader = Reader(folder: URL(filePath: file.name).deletingLastPathComponent().path, problems: problems)
        let result = reader.read(&object)
        guard problems.isEmpty else {
            throw RuleError(entries: problems.sorted.map { RuleError.Entry(file: file.name, problem: $0) })
        }
        return result
    }

    private struct Reader {
        let folder: String
        let problems: JSON5Problems

        func read(_ object: inout JSON5Object) -> RouteTestFile {
            let notifiers = path(object.string("notifiers") ?? "")
            let rules = (object.strings("rules") ?? []).map(path)
            let zone = TimeZone(identifier: object.string("zone") ?? "UTC") ?? .current
            object.require("tests")
            let tests = (object.list("tests") ?? []).compactMap { test($0, zone) }
            object.refuseUnknown()
            return RouteTestFile(notifiers: notifiers, rules: rules, tests: tests)
        }

        private func path(_ name: String) -> String { name.hasPrefix("/") ? name : "\(folder)/\(name)" }

        private func test(_ value: JSON5Value, _ zone: TimeZone) -> Test? {
            guard var object = JSON5Object(value, as: "a test", problems: problems) else { return nil }
            for name in ["name", "at", "expect"] { object.require(name) }
            var subject = RouteSubject(person: object.string("person") ?? "person")
            subject.family = object.string("family")
            subject.group = object.string("group") ?? ""
            subject.rule = object.string("rule") ?? ""
            subject.metric = object.string("metric")
            subject.severity = object.choice("severity", of: Severity.writable) ?? "warning"
            subject.kind = object.choice("kind", of: Rule.Kind.allCases.map(\.rawValue)) ?? "medical"
            subject.profile = Set(object.strings("profile") ?? [])
            subject.sources = Set((object.strings("source") ?? []).map(Reading.source))
            let escalations = object.strings("escalatedTo") ?? []
            let time = object.string("at").flatMap { RouteMoment.read($0, zone, now: 0) }
            if time == nil { problems.add("\"at\" must be a moment such as 2026-01-05T03:00", at: value.position) }
            let (expected, muted) = (Set(object.strings("expect") ?? []), Set(object.strings("muted") ?? []))
            let name = object.string("name")
            object.refuseUnknown()
            guard let name, let time else { return nil }
            return Test(
                name: name, subject: subject, escalations: escalations, time: time, expected: expected, muted: muted)
        }
    }

    /// Runs all; prints a line for each.
    /// - Returns: how many failed.
    func run(rules paths: [String]) throws -> Int {
        let paths = rules.isEmpty ? paths : rules
        let set = try AlertTools.rules(try paths.flatMap { path throws(CommandError) in try RuleFolder.read(path) })
        let file = try RuleFolder.read(notifiers)[0]
        let settings = try AlertTools.reading { () throws(RuleError) in try NotifierSettingsReader.read(file, rules: set) }
        var failed = 0
        for test in tests {
            let targets = RouteExplanation(settings).targets(test.subject, escalations: test.escalations, at: test.time)
            let heard = Set(targets.filter { !$0.isMuted }.map(\.notifier))
            let muted = Set(targets.filter(\.isMuted).map(\.notifier))
            let hasPassed = heard == test.expected && muted == test.muted
            if !hasPassed { failed += 1 }
            print(hasPassed ? "ok    \(test.name)" : "FAIL  \(test.name)\n        heard by \(heard.sorted()), muted for \(muted.sorted())")
        }
        return failed
    }
}
