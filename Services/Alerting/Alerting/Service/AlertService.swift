import Foundation
import MessageBus
package import ServiceKit
import VigilSchema

/// `vigil-alert`: tells someone in time.
package enum AlertService {
    static let rules = Setting("rules", .path, default: "deploy/rules", help: "The rule file, or the folder of .json5 rule files.")

    package static let command = ServiceCommand(
        name: "vigil-alert", summary: "Judges observations by rules and publishes alerts.",
        details: """
            Subscribes to \(Topic.Filter.readings) and \(Topic.Filter.alertCommands). The present state of each alert is retained on \
            \(Topic.Filter.alerts), each transition published on \(Topic.Filter.alertEvents). A message is acknowledged only after the \
            state that it led to is committed and what it caused has been published. SIGHUP reads the rules again.
            """,
        settings: [rules]
    ) { context in
        let files = try RuleFolder.read(try context[rules])
        let now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1e6) }
        let path = try context.stateFile("state.sqlite")
        try FileManager.default.createDirectory(
            at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
        // What is wrong with the rules is said before anything starts.
        _ = try RuleSetReader.read(files)
        let core = try AlertCore(path: path, rules: files, keepsNotices: false, now: now())
        let turn = AlertTurn(core: core, rules: files, outbox: OutboxPublisher(context.publisher), now: now)
        let consumer = try context.consumer(
            "observations",
            [Subscription(Topic.Filter.readings), Subscription(Topic.Filter.alertCommands), Subscription(Topic.Filter.moduleStatus)])
        return [
            ServiceGroup.Member("ticker", AlertTicker(turn: turn)),
            ServiceGroup.Member("pipeline", AlertPipeline(batches: consumer.batches, turn: turn), draining: .endsByItself),
            consumer.member,
        ]
    }
}
