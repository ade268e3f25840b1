import Foundation
import ServiceKit
import Settings
import VigilSchema

/// `vigil modules`: what the health modules say of a person, and how they are set for them.
enum ModulesCommand {
    /// Stands for nobody where no person is named.
    private static let nobody = "_check"
    private static let json = Setting("json", .boolean, default: false, help: "Print JSON.")
    private static let language = Setting("language", .text, default: "en", help: "The language of names and texts: en, de or ru.")
    private static let answerWithin = Setting(
        "answer-within", .duration(in: .milliseconds(100) ... .seconds(600)), default: .seconds(20),
        help: "How long vigil-modules may take to answer.")
    private static let settings: [any AnySetting] = [json, language, answerWithin] + BrokerSession.settings

    static let command = Command(
        name: "modules", summary: "reads, sets and checks a person's health modules",
        details: "Asks vigil-modules over the bus. A value has the name MODULE.VALUE, for example weight.target.",
        subcommands: [list, get, set, show, check])

    private static let list = Command(
        name: "list", summary: "lists the modules and, with a person, whether they are on", settings: settings,
        operands: Operands("PARTICIPANT", count: 0...1, help: "The participant.")
    ) { invocation in
        let participant = try participant(invocation.operands.first ?? nobody)
        let modules = try await asking(invocation) { try await $0.get("person.modules", of: participant) }
        guard try !invocation[json] else {
            StandardOutput.line(modules.pretty)
            return
        }
        let language = try invocation[language]
        for module in modules.list {
            let state = invocation.operands.isEmpty ? "" : module["available"]?.isTrue ?? false ? "on   " : "off  "
            let id = (module["id"]?.text ?? "").padding(toLength: 18, withPad: " ", startingAt: 0)
            StandardOutput.line(
                "\(state)\(id)\(module["name"]?.localized(language) ?? ""): \(module["description"]?.localized(language) ?? "")")
        }
    }

    private static let get = Command(
        name: "get", summary: "prints a value", settings: settings,
        operands: Operands("PARTICIPANT NAME", count: 2...2, help: "The participant and the value: weight.trend.")
    ) { invocation in
        let participant = try participant(invocation.operands[0])
        let name = invocation.operands[1]
        let value = try await asking(invocation) { try await $0.get(name, of: participant) }
        StandardOutput.line(value.text ?? value.pretty)
    }

    private static let set = Command(
        name: "set", summary: "sets a parameter; an empty value restores the default", settings: settings,
        operands: Operands(
            "PARTICIPANT NAME VALUE", count: 3...3, help: "The participant, the parameter and its value: anna weight.target 70.")
    ) { invocation in
        let participant = try participant(invocation.operands[0])
        let (name, value) = (invocation.operands[1], invocation.operands[2])
        do {
            let kept = try await asking(invocation) { try await $0.set(name, .text(value), of: participant) }
            StandardOutput.line(kept.text ?? kept.pretty)
        } catch let refusal as ModulesRefusal where value.isEmpty && refusal.description.contains("was not set") {
            StandardOutput.line("\(name) is not set")
        }
    }

    private static let show = Command(
        name: "show", summary: "prints a module's page about a person", settings: settings,
        operands: Operands("PARTICIPANT MODULE", count: 2...2, help: "The person and the module.")
    ) { invocation in
        let participant = try participant(invocation.operands[0])
        let name = "\(invocation.operands[1]).page"
        let page = try await asking(invocation) { try await $0.get(name, of: participant) }
        guard try !invocation[json] else {
            StandardOutput.line(page.pretty)
            return
        }
        for line in lines(page, language: try invocation[language]) { StandardOutput.line(line) }
    }

    private static let check = Command(
        name: "check",
        summary: "tests every parameter of every module: reads, sets and restores it",
        details: "Ends with 0 if everything passes, else with 1. Without PARTICIPANT it uses a fictitious one.",
        settings: settings, operands: Operands("PARTICIPANT", count: 0...1, help: "The participant.")
    ) { invocation in
        let participant = try participant(invocation.operands.first ?? nobody)
        let report = try await asking(invocation) { try await ModulesCheck(client: $0, participant: participant).run() }
        for problem in report.problems { StandardOutput.line(problem) }
        guard report.problems.isEmpty else {
            throw CommandError(.failure, "\(report.problems.count) problems in \(report.modules) modules")
        }
        StandardOutput.line("\(report.modules) modules, \(report.parameters) values and parameters: all as they are described")
    }

    private static func participant(_ name: String) throws(CommandError) -> String {
        guard Name.isValid(name) else { throw CommandError(.usage, "a participant has 1 to 64 of A-Z a-z 0-9 _ . -") }
        return name
    }

    private static func asking<Result: Sendable>(
        _ invocation: Invocation, _ body: @escaping @Sendable (ModulesClient) async throws -> Result
    ) async throws -> Result {
        let session = try BrokerSession(invocation, command: "modules")
        let limit = try invocation[answerWithin]
        return try await session.requesting(answersBelow: session.answerTopic) { requester in
            try await body(ModulesClient(requester: requester, limit: limit))
        }
    }

    private static func lines(_ page: JSONValue, language: String) -> [String] {
        var lines = [page["name"]?.localized(language) ?? ""]
        if let text = page["message"]?["text"]?.localized(language), !text.isEmpty { lines.append(text) }
        for row in page["rows"]?.list ?? [] {
            let note = row["note"].map { $0.localized(language) }.flatMap { $0.isEmpty ? nil : " (\($0))" } ?? ""
            lines.append("  \(row["label"]?.localized(language) ?? ""): \(row["value"]?.localized(language) ?? "")\(note)")
        }
        let unknown = (page["values"]?.list ?? []).compactMap { value -> String? in
            value["unknown"].map { "  \(value["name"]?.text ?? ""): -- \($0.localized(language))" }
        }
        return lines + unknown
    }
}
