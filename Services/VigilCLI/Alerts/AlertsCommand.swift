import Alerting
import ServiceKit

/// `vigil alerts`: looks at alerts and answers them.
enum AlertsCommand {
    static let command = Command(
        name: "alerts", summary: "lists, explains, acknowledges, silences and clears alerts, and tries rules out",
        subcommands: [AlertLists.list, AlertLists.watch] + AlertAnswers.commands + AlertQuestions.commands + [
            AlertTools.check, AlertTrial.command,
        ])
}
