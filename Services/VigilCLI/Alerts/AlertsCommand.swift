import AlertRules
import Alerting
import Foundation
import MessageBus
import Observability
import ServiceKit
import Settings
import Timeline
import VigilSchema

/// `vigil alerts`: looks at alerts and answers them.
enum AlertsCommand {
    static let command = Command(
        name: "alerts", summary: "lists, explains, acknowledges, silences and clears alerts, and tests rules",
        subcommands: [AlertLists.list, AlertLists.watch] + AlertAnswers.commands + AlertQuestions.commands + [
            AlertTools.check, AlertTrial.command, RouteCommand.command, AlertDrill.command, AlertTuning.command,
        ])
}

/// Sends a command to `vigil-alert` and waits for its answer.
enum AlertRequester {
    /// A command with whom and what it is about.
    private struct Request: Encodable, Sendable {
        let command: CommandMessage
        let participant: String
        let rule: String

        private enum CodingKeys: String, CodingKey {
            case participant, rule
        }

        func encode(to encoder: any Encoder) throws {
            try command.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(participant, forKey: .participant)
            try container.encode(rule, forKey: .rule)
        }
    }

    private struct Reply: Decodable {
        let ok: Bool
        let error: String?
    }

    /// The answer's payload; what was refused ends the process with the reason.
    /// - Parameters:
    ///   - operands: participant and rule; nil: those of the command line.
    ///   - patience: the longest wait for the answer.
    static func ask(
        _ command: CommandMessage, _ invocation: Invocation, about operands: [String]? = nil, patience: Duration = .seconds(10)
    ) async throws -> [UInt8] {
        let session = try BrokerSession(invocation, command: "alerts")
        let given = operands ?? invocation.operands
        let names = given + Array(repeating: "all", count: max(0, 2 - given.count))
        guard names.allSatisfy({ Name.isValid($0) }) else {
            throw CommandError(.usage, "a participant or rule has 1 to 64 of A-Z a-z 0-9 _ . -")
        }
        let request = try ServiceRequest(Request(command: command, participant: names[0], rule: names[1]), to: "alert")
        let answer = try await session.requesting(answersBelow: session.answerTopic) { requester in
            try await requester.request(timeout: patience) { request.message(answeredOn: $0) }.payload
        }
        let reply = try JSONDecoder().decode(Reply.self, from: Data(answer))
        guard !reply.ok else { return answer }
        let lines = (reply.error ?? "vigil-alert refused").split(separator: "\n").map(String.init)
        for line in lines.dropFirst() { StandardError.line(line) }
        throw CommandError(.failure, lines.first ?? "vigil-alert refused")
    }
}

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
        var problems: [String]?
    }

    static let commands = [
        question(
            "why", "explains an alert's present state from the values that it saw",
            Operands("PARTICIPANT RULE", count: 2...2, help: "The participant and the rule.")),
        question(
            "history", "shows what happened, the newest first",
            Operands("PARTICIPANT RULE", count: 0...2, help: "The participant and the rule; all by default.")),
        question("rules", "shows the rules in force", .none),
        question("notifiers", "shows each notifier, whom it cannot reach, and what is wrong with the notifiers' file", .none),
        question("reload", "lets vigil-alert read its rule files again; rules that are wrong change nothing", .none),
        test,
    ]

    private static func question(_ name: String, _ summary: String, _ operands: Operands) -> Command {
        Command(name: name, summary: summary, settings: [AlertLists.language] + BrokerSession.settings, operands: operands) { invocation in
            let payload = try await AlertRequester.ask(CommandMessage(command: name), invocation)
            let answer = try JSONDecoder().decode(Answer.self, from: Data(payload))
            let language = try invocation[AlertLists.language]
            for line in lines(answer, language) { guard StandardOutput.line(line) else { return } }
        }
    }

    /// Sends a test through one notifier, and waits for what became of it.
    private static let test = Command(
        name: "notify-test", summary: "sends a test through a notifier and reports the outcome", settings: BrokerSession.settings,
        operands: Operands("NOTIFIER", count: 1...1, help: "The notifier's id in the notifier file.")
    ) { invocation in
        let user = ProcessInfo.processInfo.environment["USER"] ?? "operator"
        var command = CommandMessage(command: "notify-test", actor: user)
        command.notifier = invocation.operands.first
        // The longest time limit of a notifier is five minutes.
        let payload = try await AlertRequester.ask(command, invocation, about: [], patience: .seconds(310))
        let answer = try JSONDecoder().decode(Answer.self, from: Data(payload))
        for line in lines(answer, "en") { guard StandardOutput.line(line) else { return } }
    }

    private static func lines(_ answer: Answer, _ language: String) -> [String] {
        let events = (answer.events ?? []).map { AlertTools.line($0, language: language) }
        let rules = (answer.rules ?? []).map { rule in
            let title = Translations(rule.title).text(language) ?? ""
            return "\(rule.id)  \(rule.kind)  \(rule.severities.joined(separator: "/"))  \(title)  \(rule.source)"
        }
        let shown = (answer.problems ?? []) + (answer.lines ?? []) + events + rules
        return shown.isEmpty ? [answer.events == nil ? "done" : "nothing has happened"] : shown
    }
}

/// `vigil alerts ack`, `silence`, `unsilence`, `clear`, `threshold`, `profile`.
enum AlertAnswers {
    private static let actor = Setting(
        "actor", .text, default: ProcessInfo.processInfo.environment["USER"] ?? "operator", help: "The person who gives the command.")
    private static let reason = Setting.optional("reason", .text, help: "The reason; required for silence, clear and threshold.")
    private static let duration = Setting("for", .text, default: "1h", help: "The length of the silence, such as 30m or 2h.")
    private static let clearance = Setting.optional(
        "for", .text, help: "How long the alert stays quiet unless it becomes worse, such as 30m; at most as long as its rule allows.")
    private static let severity = Setting.optional(
        "severity", .text, help: "The worst severity that the silence hides, or the level whose threshold is set.")
    private static let seen = Setting.optional(
        "severity", .text, help: "The severity as you saw it; the command is refused if the alert has become worse.")
    private static let value = Setting.optional(
        "value", .number(in: -1e9...1e9), help: "The threshold for this participant; without it the rule's own applies again.")
    private static let born = Setting.optional("born", TimeText.format, help: "The birth date, which decides the thresholds and scores.")
    private static let pregnant = Setting("pregnant", .boolean, default: false, help: "NEWS2 is not for pregnancy.")
    private static let delivered = Setting.optional(
        "delivered", TimeText.format, help: "The date on which the person gave birth; the rules of pregnancy apply for six weeks more.")
    private static let scale = Setting(
        "saturation-scale", .integer(in: 1...2), default: 1, help: "NEWS2's oxygen scale; 2 only if a clinician says so.")
    private static let height = Setting.optional("height", .number(in: 30...260), help: "In centimetres; for the body-mass index.")
    private static let person = Operands("PARTICIPANT", help: "The participant.")
    private static let alert = Operands("PARTICIPANT RULE", count: 2...2, help: "The participant and the rule, which can be all.")

    static let commands = [
        answer("ack", "acknowledges an alert", [seen]) { invocation, command in
            command.command = "acknowledge"
            command.severity = try invocation[seen]
        },
        answer("silence", "keeps an alert quiet for a while, but never what is worse", [duration, severity]) { invocation, command in
            command.command = "silence"
            command.duration = try invocation[duration]
            command.severity = try invocation[severity]
        },
        answer("unsilence", "ends a silence", []) { invocation, command in command.command = "unsilence" },
        answer("clear", "ends an alert by hand", [clearance, seen]) { invocation, command in
            command.command = "clear"
            command.severity = try invocation[seen]
            command.duration = try invocation[clearance]
        },
        answer("threshold", "sets a threshold for one participant, or takes it back", [severity, value]) { invocation, command in
            command.command = "set-threshold"
            command.severity = try invocation[severity]
            command.value = try invocation[value]
        },
        answer(
            "profile", "says what rules and scores must know of a participant, in place of what was said before",
            [born, pregnant, delivered, scale, height], person
        ) { invocation, command in
            command.command = "set-profile"
            command.profile = CommandMessage.Profile(
                born: try invocation[born]?.moment(now: .now).seconds, pregnant: try invocation[pregnant],
                delivered: try invocation[delivered]?.moment(now: .now).seconds, saturationScale: try invocation[scale],
                height: try invocation[height])
        },
    ]

    private static func answer(
        _ name: String, _ summary: String, _ settings: [any AnySetting], _ operands: Operands = alert,
        _ fill: @escaping @Sendable (Invocation, inout CommandMessage) throws -> Void
    ) -> Command {
        Command(name: name, summary: summary, settings: [actor, reason] + settings + BrokerSession.settings, operands: operands) {
            invocation in
            var command = CommandMessage(command: "", actor: try invocation[actor], reason: try invocation[reason])
            command.id = UUID().uuidString
            command.time = Date().timeIntervalSince1970
            try fill(invocation, &command)
            _ = try await AlertRequester.ask(command, invocation)
            _ = StandardOutput.line("done")
        }
    }
}
