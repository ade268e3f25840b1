package import AlertRules
import Foundation
import Observability
import ServiceKit
package import Settings
package import VigilSchema

/// The commands that need neither broker nor state: `check` and `test`.
package enum AlertTools {
    private static let strict = Setting("strict", .boolean, default: false, help: "Fail if there are warnings.")

    package static let check = Command(
        name: "check", summary: "reports every mistake in rule files with file, line, column and a suggestion",
        settings: [strict], operands: Operands("FILE", count: 1...64, help: "A rule file, or a folder of them.")
    ) { invocation in
        var files: [RuleFile] = []
        for path in invocation.operands { files += try RuleFolder.read(path) }
        let services = files.filter(ServiceTemplateReader.isService)
        for file in services { _ = try reading { () throws(RuleError) in try ServiceTemplateReader.read(file) } }
        files.removeAll { file in services.contains { $0.name == file.name } }
        let rules = try rules(files)
        let warnings = rules.warnings.map(\.description) + RuleAdvice(rules).warnings.map(\.description)
        for warning in warnings { StandardError.line("\(warning) (a warning)") }
        if try invocation[strict], !warnings.isEmpty {
            throw CommandError(.failure, warnings.count == 1 ? "there is a warning" : "there are \(warnings.count) warnings")
        }
        let others = services.isEmpty ? "" : ", \(services.count) services"
        print("\(files.count + services.count) files, \(rules.rules.count) rules\(others): all is well")
    }

    /// Rules that are wrong end a command with everything that is wrong.
    package static func rules(_ files: [RuleFile]) throws(CommandError) -> RuleSet {
        try reading { () throws(RuleError) in try RuleSetReader.read(files) }
    }

    /// Turns what is wrong with a file into a command's failure.
    static func reading<Result>(_ body: () throws(RuleError) -> Result) throws(CommandError) -> Result {
        do throws(RuleError) {
            return try body()
        } catch {
            for entry in error.entries { StandardError.line(entry.description) }
            throw CommandError(
                .data, error.entries.count == 1 ? "there is a problem" : "there are \(error.entries.count) problems")
        }
    }

    /// Reads all values of a recording's file.
    package static func recording(_ path: String) throws(CommandError) -> [ReplayReading] {
        guard let data = FileManager.default.contents(atPath: path) else { throw CommandError(.noInput, "\(path) cannot be read") }
        do throws(RecordingError) {
            let recording = try RecordingReader.read(String(decoding: data, as: UTF8.self), path: path)
            for omission in recording.omissions { StandardError.line("\(omission) (left out)") }
            return recording.readings
        } catch {
            throw CommandError(.data, error.description)
        }
    }

    /// A transition as a line: time, participant, rule, what, how bad, message.
    package static func line(_ event: AlertMessage, language: String = "en") -> String {
        let time = Date(timeIntervalSince1970: event.time).formatted(.iso8601)
        let text = Translations(event.message).text(language) ?? ""
        let actor = event.actor.map { " by \($0)" } ?? ""
        let reason = event.reason.map { " (\($0))" } ?? ""
        let doubt = event.unconfirmed == true ? " (unconfirmed)" : ""
        return "\(time)  \(event.participant)  \(event.rule)  \(event.transition)\(doubt)\(actor)\(reason)  \(event.severity)  \(text)"
    }
}
