import Alerting
import Foundation
import ServiceKit
import VigilSchema

/// `vigil alerts why`, `history`, `rules`.
enum AlertQuestions {
    private struct Answer: Decodable {
        struct Rule: Decodable {
            let id: String
            let title: [String: String]
            let kind: String
            let severities: [String]
            let source: String
        }

        var lines: [String]?
        var events: [AlertMessage]?
        var rules: [Rule]?
    }

    static let commands = [
        question(
            "why", "explains an alert's present state from the values that it saw",
            Operands("PARTICIPANT RULE", count: 2...2, help: "Whose alert of which rule.")),
        question(
            "history", "shows what happened, the newest first",
            Operands("PARTICIPANT RULE", count: 0...2, help: "Whose, and of which rule; all by default.")),
        question("rules", "shows the rules in force", .none),
        question("reload", "lets vigil-alert read its rule files again; rules that are wrong change nothing", .none),
    ]

    private static func question(_ name: String, _ summary: String, _ operands: Operands) -> Command {
        Command(name: name, summary: summary, settings: [AlertLists.language] + BrokerSession.settings, operands: operands) { invocation in
            let payload = try await AlertRequester.ask(CommandMessage(command: name), invocation)
            let answer = try JSONDecoder().decode(Answer.self, from: Data(payload))
            let language = try invocation[AlertLists.language]
            for line in lines(answer, language) { guard StandardOutput.line(line) else { return } }
        }
    }

    private static func lines(_ answer: Answer, _ language: String) -> [String] {
        let events = (answer.events ?? []).map { AlertTools.line($0, language: language) }
        let rules = (answer.rules ?? []).map { rule in
            let title = LocalizedText(rule.title).text(language) ?? ""
            return "\(rule.id)  \(rule.kind)  \(rule.severities.joined(separator: "/"))  \(title)  \(rule.source)"
        }
        let shown = (answer.lines ?? []) + events + rules
        return shown.isEmpty ? [answer.events == nil ? "done" : "nothing has happened"] : shown
    }
}
