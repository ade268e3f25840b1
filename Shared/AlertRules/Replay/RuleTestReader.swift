import Foundation
import JSON5
import VigilSchema

/// Reads a file of rule tests: `{rules: […], tests: [{name, readings, commands, recording, store, expect}]}`.
package struct RuleTestReader {
    /// The start of tests with times of their own, unless they name one: a Monday, 2026-01-05T00:00:00Z.
    private static let start: Int64 = 1_767_571_200_000_000
    private let problems = JSON5Problems()
    private let folder: String

    /// Reads the file, or says everything that is wrong with it. Paths in it are relative to it.
    package static func read(_ file: RuleFile) throws(RuleError) -> RuleTestFile {
        let reader = RuleTestReader(folder: URL(filePath: file.name).deletingLastPathComponent().path)
        var result = RuleTestFile(rules: [], tests: [])
        do {
            let value = try JSON5Parser.parse(file.text)
            if let object = JSON5Object(value, as: "a file of rule tests", problems: reader.problems) { result = reader.read(object) }
        } catch {
            throw RuleError(entries: [RuleError.Entry(file: file.name, problem: error)])
        }
        guard reader.problems.isEmpty else {
            throw RuleError(entries: reader.problems.sorted.map { RuleError.Entry(file: file.name, problem: $0) })
        }
        return result
    }

    private init(folder: String) { self.folder = folder }

    private func read(_ object: JSON5Object) -> RuleTestFile {
        var object = object
        let rules = (object.strings("rules") ?? []).map(path)
        object.require("tests")
        let tests = (object.list("tests") ?? []).compactMap(test)
        object.refuseUnknown()
        return RuleTestFile(rules: rules, tests: tests)
    }

    private func path(_ name: String) -> String { name.hasPrefix("/") ? name : "\(folder)/\(name)" }

    private func test(_ value: JSON5Value) -> RuleTest? {
        guard var object = JSON5Object(value, as: "a test", problems: problems) else { return nil }
        object.require("name")
        if !object.has("scores") { object.require("expect") }
        var test = RuleTest(name: object.string("name") ?? "")
        let participant = object.string("participant") ?? "person"
        test.recordings = (object.strings("recordings") ?? []).map(path)
        test.stored = stored(&object)
        let start = moment("start", &object)
        let hasOwnTimes = test.recordings.isEmpty && test.stored == nil
        test.start = start ?? test.stored?.from ?? (hasOwnTimes ? Self.start : nil)
        let inputs = RuleTestInputs(participant: participant, start: test.start ?? Self.start, problems: problems)
        test.readings = (object.list("readings") ?? []).flatMap(inputs.readings)
        test.commands = (object.list("commands") ?? []).compactMap(inputs.command)
        if test.readings.isEmpty, hasOwnTimes {
            problems.add("nothing is played: it needs \"readings\", \"recordings\" or \"store\"", at: value.position)
        }
        test.after = object.duration("after") ?? test.after
        test.also = Set(object.strings("also") ?? [])
        for name in test.also where !RuleTest.minor.contains(name) {
            problems.add("\"\(name)\" is compared anyway, or no transition", at: value.position)
        }
        test.only = Set(object.strings("only") ?? [])
        test.expected = (object.list("expect") ?? []).compactMap(expected)
        test.expectedScores = (object.list("scores") ?? []).compactMap { expectedScore($0, participant) }
        // A test of scores alone compares no transitions.
        if !object.has("expect") { test.only = ["no rule"] }
        object.refuseUnknown()
        return test
    }

    private func stored(_ object: inout JSON5Object) -> RuleTest.StoredRange? {
        guard var range = object.object("store") else { return nil }
        for name in ["participant", "from", "to"] { range.require(name) }
        let (participant, from, to) = (range.string("participant"), moment("from", &range), moment("to", &range))
        range.refuseUnknown()
        guard let participant, let from, let to else { return nil }
        return RuleTest.StoredRange(participant: participant, from: from, to: to)
    }

    private func moment(_ name: String, _ object: inout JSON5Object) -> Int64? {
        guard let value = object.value(name) else { return nil }
        if case .string(let text) = value.content, let date = try? Date(text, strategy: .iso8601) {
            return Int64(date.timeIntervalSince1970) * 1_000_000
        }
        problems.add("\"\(name)\" must be a time such as 2026-01-05T22:00:00+01:00", at: value.position)
        return nil
    }

    /// `{score: "x-qsofa", at: "5m", value: 2}`, or `text` for a category.
    private func expectedScore(_ value: JSON5Value, _ participant: String) -> RuleTest.ExpectedScore? {
        guard var object = JSON5Object(value, as: "an expected score", problems: problems) else { return nil }
        for name in ["score", "at"] { object.require(name) }
        let (metric, at, person) = (object.string("score"), object.duration("at"), object.string("participant") ?? participant)
        let content = object.number("value").map(DerivedValue.Content.number) ?? object.string("text").map(DerivedValue.Content.text)
        object.refuseUnknown()
        if content == nil { problems.add("a score is compared with \"value\" or \"text\"", at: value.position) }
        guard let metric, let at, let content else { return nil }
        return RuleTest.ExpectedScore(participant: person, metric: metric, at: at, content: content)
    }

    private func expected(_ value: JSON5Value) -> RuleTest.Expected? {
        guard var object = JSON5Object(value, as: "an expected transition", problems: problems) else { return nil }
        object.require("rule")
        object.require("transition")
        let rule = object.string("rule")
        let transition = object.choice("transition", of: AlertEvent.Transition.allCases.map(\.rawValue))
        let severity = object.choice("severity", of: Severity.writable)
        let isInhibited = object.bool("inhibited")
        let (at, within) = (object.duration("at"), object.duration("within") ?? 1_000_000)
        object.refuseUnknown()
        guard let rule, let transition else { return nil }
        return RuleTest.Expected(
            rule: rule, transition: transition, severity: severity, isInhibited: isInhibited, at: at, within: within)
    }
}

/// Reads the readings and commands of a rule test.
struct RuleTestInputs {
    private static let longest = 1_000_000
    let participant: String
    /// Microseconds since 1970.
    let start: Int64
    let problems: JSON5Problems

    /// `{metric, at, value}` or `{metric, from, to, every, value}`; `text` instead of `value` for texts, `values` for numbers that take turns, and
    /// `received` where they came later, and `source` where several sensors measure the same.
    func readings(_ value: JSON5Value) -> [ReplayReading] {
        guard var object = JSON5Object(value, as: "a reading", problems: problems) else { return [] }
        object.require("metric")
        let person = object.string("participant") ?? participant
        let content = object.number("value").map(ReplayReading.Value.number) ?? object.string("text").map(ReplayReading.Value.text)
        let values = (object.list("values") ?? []).compactMap { element -> ReplayReading.Value? in
            if case .number(let number) = element.content { return .number(number) }
            problems.add("\"values\" lists numbers", at: element.position)
            return nil
        }
        let turns = content.map { [$0] } ?? values
        if turns.isEmpty { problems.add("a reading needs \"value\", \"values\" or \"text\"", at: value.position) }
        let received = object.duration("received")
        let (metric, source) = (object.string("metric"), object.string("source"))
        let times = times(&object, value.position)
        object.refuseUnknown()
        guard let metric, !turns.isEmpty else { return [] }
        return times.enumerated().map { index, time in
            ReplayReading(
                participant: person, metric: metric, time: start + time, received: received.map { start + max($0, time) },
                value: turns[index % turns.count], source: source)
        }
    }

    private func times(_ object: inout JSON5Object, _ position: SourcePosition) -> [Int64] {
        guard object.has("from") || object.has("to") || object.has("every") else {
            object.require("at")
            return object.duration("at").map { [$0] } ?? []
        }
        for name in ["from", "to", "every"] { object.require(name) }
        let (from, to, every) = (object.duration("from"), object.duration("to"), object.duration("every"))
        guard let from, let to, let every else { return [] }
        guard every > 0, to >= from, (to - from) / every < Self.longest else {
            problems.add("\"from\", \"to\" and \"every\" must make 1 to \(Self.longest) readings", at: position)
            return []
        }
        return Array(stride(from: from, through: to, by: Int64.Stride(every)))
    }

    /// `{at, command, rule, actor, reason, duration, severity, value, profile}`.
    func command(_ value: JSON5Value) -> RecordedCommand? {
        guard var object = JSON5Object(value, as: "a command", problems: problems) else { return nil }
        object.require("at")
        object.require("command")
        let at = object.duration("at")
        let name = object.choice("command", of: CommandMessage.changing)
        let (person, rule) = (object.string("participant") ?? participant, object.string("rule") ?? "all")
        var message = CommandMessage(command: name ?? "", actor: object.string("actor") ?? "test", reason: object.string("reason"))
        message.duration = object.string("duration")
        message.severity = object.string("severity")
        message.value = object.number("value")
        message.profile = profile(&object)
        object.refuseUnknown()
        guard let at, name != nil else { return nil }
        return RecordedCommand(participant: person, rule: rule, time: start + at, message: message)
    }

    private func profile(_ object: inout JSON5Object) -> CommandMessage.Profile? {
        guard var profile = object.object("profile") else { return nil }
        defer { profile.refuseUnknown() }
        return CommandMessage.Profile(
            born: profile.number("born"), pregnant: profile.bool("pregnant"), delivered: profile.number("delivered"),
            saturationScale: profile.integer("saturationScale", in: 1...2), height: profile.number("height"))
    }
}
