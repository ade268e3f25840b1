import Access
import AlertRules
import Foundation
import MessageBus
import Observability
package import ServiceKit
package import Settings
import Synchronization
import VigilSchema

/// `vigil-alert`: tells someone in time.
package enum AlertService {
    static let rules = Setting("rules", .path, default: "deploy/rules", help: "The rule file, or the folder of .json5 rule files.")

    static let notifiers = Setting.optional(
        "notifiers", .path, help: "The JSON5 file that says who is told, and how; none: alerts are only published.")

    private static let participantLimit = Setting(
        "participant-limit", .integer(in: 1...AlertEngine.largestCapacity), default: AlertEngine.largestCapacity,
        help: "The most participants that are remembered; more are judged once others were silent for an hour and have no alert.")

    package static let command = ServiceCommand(
        name: "vigil-alert", summary: "Judges observations by rules and publishes alerts.",
        details: """
            Subscribes to vigil/v1/observations/…/readings, …/derived and \(Topic.Filter.requests(to: "alert")). The present state of each \
            alert is retained on \(Topic.Filter.alerts), each transition published on \(Topic.Filter.alertEvents). A message is acknowledged \
            only after the state that it led to is committed and what it caused has been published. SIGHUP, or the command reload, reads the rules again.
            """,
        settings: [rules, notifiers, participantLimit] + AccessSettings.all
    ) { context in
        let files = try RuleFolder.read(try context[rules])
        let path = try context.stateFile("state.sqlite")
        try FileManager.default.createDirectory(
            at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
        // What is wrong with the rules and notifiers is said before anything starts.
        let set = try RuleSetReader.read(files)
        let settings = try RuleFolder.readNotifiers(try context[notifiers], rules: set)
        warnOfSilentEscalations(set, settings, context.logger)
        for warning in set.warnings { context.logger.warning("rules", ["warning": warning.description]) }
        let feed = NotifierFeed(settings?.notifiers.map(\.route.id) ?? [])
        let marker = "\(Topic.prefix)modules/vigil-alert/\(context.instance)/caught-up"
        let core = try AlertCore(
            path: path, rules: files, markerTopic: marker, capacity: try context[participantLimit], feed: feed, now: .now)
        let (counts, log) = (core.counts, context.logger)
        let outbox = OutboxPublisher(context.publisher) { error in
            counts.unpublishable.add(1, ordering: .relaxed)
            log.error("the broker refuses a message of an alert", ["error": error.description])
        }
        let coordinator = AlertCoordinator(
            core: core, rules: files, path: try context[rules], outbox: outbox, replies: context.replies, feed: feed,
            instance: context.instance, log: log)
        let consumer = try context.consumer("observations", subscriptions(marker: marker))
        consumer.onConnected { _ in coordinator.connected() }
        let trail = try context.auditTrail
        let requests = RequestGuard(service: "alert", control: try AccessControl(context.configuration) ?? .open, log: log)
        AlertMetrics.register(core: core, context.metrics)
        _ = NotifierMembers.register(context.metrics)
        let notifiers = try settings.map {
            try NotifierMembers(settings: $0, core: core, coordinator: coordinator, feed: feed, log: log, metrics: context.metrics).make()
        }
        return (notifiers ?? []) + [
            ServiceGroup.Member("ticker", AlertTicker(coordinator: coordinator, log: log)),
            ServiceGroup.Member("reload", RuleReloader(coordinator: coordinator)),
            ServiceGroup.Member(
                "pipeline",
                AlertPipeline(
                    batches: GuardedRequests(consumer.batches, requests, replies: context.replies, trail: trail), coordinator: coordinator,
                    log: log),
                draining: .endsByItself),
            consumer.member,
        ]
    }

    /// Only of modules' status is what the broker has retained wanted: a retained reading or command is an old one.
    private static func subscriptions(marker: String) -> [Subscription] {
        let live = Topic.Filter.readings + Topic.Filter.derived + [Topic.Filter.alertCommands, Topic.Filter.requests(to: "alert"), marker]
        return live.map { Subscription($0, retainHandling: .never) } + [Subscription(Topic.Filter.moduleStatus)]
    }

    /// An escalation to a name that no notifier has tells nobody but the subscribers.
    private static func warnOfSilentEscalations(_ rules: RuleSet, _ settings: NotifierSettings?, _ log: Logger) {
        guard let settings else { return }
        let known = Set(settings.notifiers.compactMap(\.route.escalation))
        for name in Set(rules.rules.flatMap(\.escalations).map(\.to)).subtracting(known).sorted() {
            log.warning("rules escalate to a name that no notifier has", ["name": name])
        }
    }
}

/// The executable: the service itself, or one of its tools.
package enum AlertProgram {
    package static let command = Command(
        name: AlertService.command.name, summary: AlertService.command.summary,
        settings: AlertService.command.settings, subcommands: [AlertTools.check, RuleTrial.command(stored: nil)]
    ) { _ in
        try await AlertService.command.command.run(
            arguments: Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment)
    }
}
