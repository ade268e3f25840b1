import Foundation
package import ServiceKit
package import VigilSchema

/// The commands that need neither broker nor state: `check` and `test`.
package enum AlertTools {
    package static let commands = [check, test]
    private static let naive = Setting(
        "naive", .boolean, default: false, help: "Compare with the same limits without delay, dead band, repetition and quality.")

    private static let check = Command(
        name: "check", summary: "says everything that is wrong with rule files, with file, line, column and what was meant",
        operands: Operands("FILE", count: 1...64, help: "A rule file, or a folder of them.")
    ) { invocation in
        var files: [RuleFile] = []
        for path in invocation.operands { files += try RuleFolder.read(path) }
        let rules = try rules(files)
        print("\(files.count) files, \(rules.rules.count) rules: all is well")
    }

    private static let test = Command(
        name: "test", summary: "plays recordings against rules and prints what would have happened",
        details:
            "A recording is a file of canonical batches, one a line, or a CSV file with participant-id, timestamp and a column a metric.",
        settings: [AlertService.rules, naive], operands: Operands("FILE", count: 1...10_000, help: "The recordings.")
    ) { invocation in
        let rules = try rules(try RuleFolder.read(try invocation[AlertService.rules]))
        var readings: [ReplayReading] = []
        for path in invocation.operands { readings += try RecordingReader.read(path) }
        let result = RuleReplay.run(rules: rules, readings: readings)
        for event in result.events { print(line(event)) }
        print(summary(result))
        if try invocation[naive] { print(comparison(result, RuleReplay.run(rules: rules.naive, readings: readings))) }
    }

    /// Rules that are wrong end a command with everything that is wrong.
    private static func rules(_ files: [RuleFile]) throws(ServiceKit.CommandError) -> RuleSet {
        do throws(RuleError) {
            return try RuleSetReader.read(files)
        } catch {
            throw ServiceKit.CommandError(.data, "\(error.entries.count) problems\n\(error.description)")
        }
    }

    /// A transition as a line: time, participant, rule, what, how bad, message.
    package static func line(_ event: AlertMessage, language: String = "en") -> String {
        let time = Date(timeIntervalSince1970: event.time).formatted(.iso8601)
        let text = LocalizedText(event.message).text(language) ?? ""
        let actor = event.actor.map { " by \($0)" } ?? ""
        return "\(time)  \(event.participant)  \(event.rule)  \(event.transition)\(actor)  \(event.severity)  \(text)"
    }

    private static func summary(_ result: RuleReplay.Result) -> String {
        let rate = result.personHours > 0 ? Double(result.raised) / result.personHours : 0
        return "\(result.readings) readings, \(rounded(result.personHours)) person-hours, \(result.raised) medical alerts "
            + "(\(rounded(rate)) a person-hour), \(result.raisedTechnical) technical"
    }

    private static func comparison(_ result: RuleReplay.Result, _ naive: RuleReplay.Result) -> String {
        let factor = result.raised > 0 ? rounded(Double(naive.raised) / Double(result.raised)) : "no alert at all instead of any"
        return "a naive threshold would have raised \(naive.raised): factor \(factor)"
    }

    private static func rounded(_ value: Double) -> String { String((value * 100).rounded() / 100) }
}
