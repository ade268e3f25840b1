import Access
import AlertRules
import Foundation
import MessageBus
package import ServiceKit
package import Settings
import TimelineStore
import VigilSchema

/// `vigil-alert`: tells someone in time.
package enum AlertService {
    package static let rules = Setting("rules", .path, default: "deploy/rules", help: "The rule file, or the folder of .json5 rule files.")

    package static let notifiers = Setting.optional(
        "notifiers", .path, help: "The JSON5 file that says who is told, and how; none: alerts are only published.")

    static let state = StateSettings(
        help: "The PostgreSQL database of the alerts' state, a URI such as postgresql://user@host/database; none: a file in --state-folder."
    )

    static let participantLimit = Setting(
        "participant-limit", .integer(in: 1...AlertEngine.largestCapacity), default: AlertEngine.largestCapacity,
        help: "The most participants that are remembered; more are judged once others were silent for an hour and have no alert.")

    package static let command = ServiceCommand(
        name: "vigil-alert", summary: "Judges observations by rules and publishes alerts.",
        details: """
            Subscribes to vigil/v1/observations/…/readings, …/derived and \(Topic.Filter.requests(to: "alert")). The present state of each \
            alert is retained on \(Topic.Filter.alerts), each transition published on \(Topic.Filter.alertEvents). A message is acknowledged \
            only after the state that it led to is committed and what it caused has been published. SIGHUP, or the command reload, reads the rules again. \
            With --state (and --shares) several replicas divide the participants among them, and take over from one that is gone; while that database is \
            away they judge on and tell critical alarms as unconfirmed.
            """,
        settings: [rules, notifiers, participantLimit] + state.all + AccessSettings.all
    ) { context in
        let work = try AlertWork(context)
        // Without it one process judges everybody, however many shares others divide them into.
        guard let database = try state.database(context.configuration) else { return try work.members() }
        return SharedAlerts(work, PostgresConfiguration(connection: database.uri, password: database.password)).members(
            shares: try context[ShareSettings.shares])
    }
}

/// The executable: the service itself, or one of its tools.
package enum AlertProgram {
    package static let command = Command(
        name: AlertService.command.name, summary: AlertService.command.summary,
        settings: AlertService.command.settings,
        subcommands: [AlertTools.check, RuleTrial.command(stored: nil), RouteCommand.command, StateMoveCommand.command]
    ) { _ in
        try await AlertService.command.command.run(
            arguments: Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment)
    }
}
