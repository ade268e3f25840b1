import Access
import AlertRules
import Foundation
import MessageBus
package import ServiceKit
package import Settings
import TimelineStore
import VigilSchema

/// `vigil-alert`: raises alarms in time.
package enum AlertService {
    package static let rules = Setting("rules", .path, default: "deploy/rules", help: "The rule file, or the folder of .json5 rule files.")

    package static let notifiers = Setting.optional(
        "notifiers", .path, help: "The JSON5 file that says who is notified, and how; without it alerts are only published.")

    static let state = StateSettings(
        help: "The PostgreSQL database of the alerts' state, such as postgresql://user@host/database; by default a file in --state-folder."
    )

    static let participantLimit = Setting(
        "participant-limit", .integer(in: 1...AlertEngine.largestCapacity), default: AlertEngine.largestCapacity,
        help: "The most participants in memory; others are judged once some were silent for an hour and have no alert.")

    package static let command = ServiceCommand(
        name: "vigil-alert", summary: "judges observations by rules and publishes alerts",
        details: """
            Subscribes to vigil/v1/observations/…/readings, …/derived and \(Topic.Filter.requests(to: "alert")). \
            The present state of each alert is retained on \(Topic.Filter.alerts), and each transition is \
            published on \(Topic.Filter.alertEvents). A message is acknowledged after its state is committed and \
            its output published. SIGHUP and the command reload read the rules again. With --state and --shares \
            several replicas divide the participants, and replace each other after a failure. While that \
            database is away they continue, and publish critical alarms as unconfirmed.
            """,
        settings: [rules, notifiers, participantLimit] + state.all + AccessSettings.all
    ) { context in
        let work = try AlertWork(context)
        // Without it one process judges everybody, however many shares other services use.
        guard let database = try state.database(context.configuration) else { return try work.members() }
        return SharedAlerts(work, PostgresConfiguration(connection: database.uri, password: database.password)).members(
            shares: try context[ShareSettings.shares])
    }
}

/// The executable: the service, or one of its tools.
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
