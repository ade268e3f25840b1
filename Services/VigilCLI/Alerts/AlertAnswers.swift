import Alerting
import Foundation
import ServiceKit
import Timeline
import VigilSchema

/// `vigil alerts ack`, `silence`, `unsilence`, `clear`, `threshold`, `profile`.
enum AlertAnswers {
    private static let actor = Setting(
        "actor", .text, default: ProcessInfo.processInfo.environment["USER"] ?? "operator", help: "Who gives the command.")
    private static let reason = Setting.optional("reason", .text, help: "Why; a silence needs one.")
    private static let duration = Setting("for", .text, default: "1h", help: "How long a silence lasts, such as 30m or 2h.")
    private static let severity = Setting.optional(
        "severity", .text, help: "What a silence hides at most, or the level whose threshold is set.")
    private static let value = Setting.optional(
        "value", .number(in: -1e9...1e9), help: "The threshold for this participant; without it the rule's own counts again.")
    private static let born = Setting.optional("born", TimeText.format, help: "The birth date; decides which thresholds and scores count.")
    private static let pregnant = Setting("pregnant", .boolean, default: false, help: "NEWS2 is not for pregnancy.")
    private static let scale = Setting(
        "saturation-scale", .integer(in: 1...2), default: 1, help: "NEWS2's scale; 2 only where a clinician says so.")
    private static let height = Setting.optional("height", .number(in: 30...260), help: "In centimetres; for the body-mass index.")
    private static let person = Operands("PARTICIPANT", help: "Who.")
    private static let alert = Operands("PARTICIPANT RULE", count: 2...2, help: "Whose alert of which rule; RULE can be all.")

    static let commands = [
        answer("ack", "acknowledges an alert", []) { invocation, command in command.command = "acknowledge" },
        answer("silence", "keeps an alert quiet for a while, but never what is worse", [duration, severity]) { invocation, command in
            command.command = "silence"
            command.duration = try invocation[duration]
            command.severity = try invocation[severity]
        },
        answer("unsilence", "ends a silence", []) { invocation, command in command.command = "unsilence" },
        answer("clear", "ends an alert by hand", []) { invocation, command in command.command = "clear" },
        answer("threshold", "sets a threshold for one participant, or takes it back", [severity, value]) { invocation, command in
            command.command = "set-threshold"
            command.severity = try invocation[severity]
            command.value = try invocation[value]
        },
        answer(
            "profile", "says what rules and scores must know of a participant, in place of what was said before",
            [born, pregnant, scale, height], person
        ) { invocation, command in
            command.command = "set-profile"
            command.profile = CommandMessage.Profile(
                born: try invocation[born]?.moment(now: .now).seconds, pregnant: try invocation[pregnant],
                saturationScale: try invocation[scale], height: try invocation[height])
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
