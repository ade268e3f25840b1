import AlertRules
import Foundation
import MessageBus
import Observability
package import ServiceKit
import Settings
import VigilSchema

/// `vigil-alert`: tells someone in time.
package enum AlertService {
    static let rules = Setting("rules", .path, default: "deploy/rules", help: "The rule file, or the folder of .json5 rule files.")

    static let notifiers = Setting.optional(
        "notifiers", .path, help: "The JSON5 file that says who is told, and how; none: alerts are only published.")

    private static let participantLimit = Setting(
        "participant-limit", .integer(in: 1...AlertEngine.largestCapacity), default: 10_000,
        help: "The most participants that are remembered; more are judged once others were silent for an hour and have no alert.")

    package static let command = ServiceCommand(
        name: "vigil-alert", summary: "Judges observations by rules and publishes alerts.",
        details: """
            Subscribes to \(Topic.Filter.readings) and \(Topic.Filter.alertCommands). The present state of each alert is retained on \
            \(Topic.Filter.alerts), each transition published on \(Topic.Filter.alertEvents). A message is acknowledged only after the \
            state that it led to is committed and what it caused has been published. SIGHUP, or the command reload, reads the rules again.
            """,
        settings: [rules, notifiers, participantLimit]
    ) { context in
        let files = try RuleFolder.read(try context[rules])
        let path = try context.stateFile("state.sqlite")
        try FileManager.default.createDirectory(
            at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
        // What is wrong with the rules is said before anything starts.
        _ = try RuleSetReader.read(files)
        let settings = try RuleFolder.readNotifiers(try context[notifiers])
        let marker = "\(Topic.prefix)modules/vigil-alert/\(context.instance)/caught-up"
        let core = try AlertCore(
            path: path, rules: files, keepsNotices: settings != nil, markerTopic: marker,
            capacity: try context[participantLimit], now: .now)
        let turn = AlertCoordinator(
            core: core, rules: files, path: try context[rules], outbox: OutboxPublisher(context.publisher), log: context.logger)
        let filters = [Topic.Filter.readings, Topic.Filter.alertCommands, Topic.Filter.moduleStatus, marker]
        let consumer = try context.consumer("observations", filters.map { Subscription($0) })
        consumer.onConnected { _ in turn.connectionReturned() }
        AlertMetrics.register(core: core, context.metrics)
        return try notifierMembers(settings, core, turn, context) + [
            ServiceGroup.Member("ticker", AlertTicker(turn: turn)),
            ServiceGroup.Member("reload", RuleReloader(turn: turn)),
            ServiceGroup.Member("pipeline", AlertPipeline(batches: consumer.batches, turn: turn), draining: .endsByItself),
            consumer.member,
        ]
    }

    private static func notifierMembers(
        _ settings: NotifierSettings?, _ core: AlertCore, _ turn: AlertCoordinator, _ context: ServiceContext
    ) throws -> [ServiceGroup.Member] {
        // There without a notifier too: whoever watches them need not know whether there is one.
        let delivered = context.metrics.counter("vigil_alert_notifications_total", help: "Notifications that were accepted.")
        let failed = context.metrics.counter("vigil_alert_notification_failures_total", help: "Attempts that failed; each is repeated.")
        guard let settings else { return [] }
        let service = NotifierService(
            core: core, settings: settings, channels: try NotifierChannels.make(settings), log: context.logger,
            delivered: delivered, failed: failed, isAlive: { turn.isAlive })
        return [ServiceGroup.Member("notifiers", service)]
    }
}
