import Access
import AlertRules
import Foundation
import MessageBus
import Observability
import ServiceKit
import Settings
import Shares
import Synchronization
import VigilSchema

/// The parts of a `vigil-alert` process, whether it judges everybody or its shares.
struct AlertWork: Sendable {
    let context: ServiceContext
    /// The rules at the start, for a state without rules.
    let files: [RuleFile]
    /// Nil if nobody is notified.
    let notifiers: NotifierFile?
    let counts = AlertCounts()
    let requests: RequestGuard
    let capacity: Int
    private let rulesPath: String

    /// Mistakes in the rules end the start. Mistakes in the notifier file are logged as errors, and alarms are judged
    /// all the same.
    init(_ context: ServiceContext) throws {
        self.context = context
        rulesPath = try context[AlertService.rules]
        files = try RuleFolder.read(rulesPath)
        let set = try RuleSetReader.read(files)
        notifiers = try context[AlertService.notifiers].map { NotifierFile($0, set) }
        capacity = try context[AlertService.participantLimit]
        requests = RequestGuard(service: "alert", control: try AccessControl(context.configuration) ?? .open, log: context.logger)
        Self.warnOfSilence(set, notifiers, context.logger)
        for warning in set.warnings { context.logger.warning("rules", ["warning": warning.description]) }
        AlertMetrics.register(counts, context.metrics)
        _ = NotifierCounters(context.metrics)
        if let notifiers { context.readiness.remark("notifiers") { notifiers.problems.joined(separator: "\n") } }
    }

    /// All members of a process without replicas.
    func members() throws -> [ServiceGroup.Member] {
        let path = try context.stateFile("state.sqlite")
        try FileManager.default.createDirectory(
            at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
        let (marker, feed) = (Self.marker(context.instance), feed())
        let core = try AlertCore(
            store: try SQLiteAlertStore(path: path), rules: files, markerTopic: marker, capacity: capacity, feed: feed, counts: counts,
            now: .now)
        let coordinator = coordinator(core, feed, publisher: context.publisher)
        let consumer = try context.consumer(
            "observations", (Topic.Filter.readings + Topic.Filter.derived).map { Subscription($0, retainHandling: .never) } + asked(marker))
        consumer.onConnected { _ in coordinator.connected() }
        let pipeline = AlertPipeline(
            batches: try guarded(consumer.batches), coordinator: coordinator, log: context.logger)
        let liveness = context.liveness
        let isAlive = { @Sendable () async -> Bool in coordinator.isAlive && liveness.secondsAtWork("observations") < Liveness.notReadyAfter
        }
        context.readiness.watch("state", "nothing can be stored") { !core.health.isFailing }
        return tellers(core, coordinator, feed, isAlive: isAlive) + [
            ServiceGroup.Member("ticker", AlertTicker(coordinator: coordinator, log: context.logger)),
            ServiceGroup.Member(
                "live watch", LiveWatch(coordinator: coordinator, connect: try liveConnection(), log: context.logger), draining: .cancel),
            ServiceGroup.Member("reload", RuleReloader(coordinator: coordinator)),
            coordinator.questionsMember,
            ServiceGroup.Member("pipeline", pipeline, draining: .endsByItself),
            consumer.member,
        ]
    }

    /// Makes connections without a session that receive every observation at QoS 0.
    private func liveConnection() throws -> @Sendable () -> Consumer {
        var broker = try context.broker(part: "live-watch")
        broker.session = .clean
        broker.maximumPacket = ServiceConsumer.maximumPacket
        let subscriptions = (Topic.Filter.readings + Topic.Filter.derived).map {
            Subscription($0, qos: .atMostOnce, retainHandling: .never)
        }
        let configuration = ConsumerConfiguration(broker: broker, subscriptions: subscriptions)
        return { Consumer(configuration: configuration) }
    }

    /// The topic of the marker messages.
    static func marker(_ name: String) -> String { "\(Topic.prefix)modules/vigil-alert/\(name)/caught-up" }

    /// The subscriptions besides observations. Retained messages are wanted of modules' status only; a retained reading
    /// or command is old.
    func asked(_ marker: String) -> [Subscription] {
        [Topic.Filter.requests(to: "alert"), marker].map { Subscription($0, retainHandling: .never) }
            + [Subscription(Topic.Filter.moduleStatus)]
    }

    func feed() -> NotifierFeed { NotifierFeed(notifiers?.settings ?? NotifierSettings()) }

    func guarded<Batches: AsyncSequence & Sendable>(_ batches: Batches) throws -> GuardedRequests<Batches>
    where Batches.Element == MessageBatch {
        GuardedRequests(batches, requests, replies: context.replies, trail: try context.auditTrail)
    }

    func coordinator(
        _ core: AlertCore, _ feed: NotifierFeed, publisher: any MessagePublisher, sharing: AlertCoordinator.Sharing? = nil
    ) -> AlertCoordinator {
        let counts = counts
        let log = sharing.map { context.logger.with(["share": "\($0.share)"]) } ?? context.logger
        let outbox = OutboxPublisher(publisher) { error in
            counts.unpublishable.add(1, ordering: .relaxed)
            log.error("the broker refuses a message of an alert", ["error": error.description])
        }
        return AlertCoordinator(
            core: core, path: rulesPath, outbox: outbox, replies: context.replies, feed: feed, notifierFile: notifiers,
            instance: context.instance,
            sharing: sharing, log: log)
    }

    /// The notification tasks.
    func tellers(
        _ core: AlertCore, _ coordinator: AlertCoordinator, _ feed: NotifierFeed, share: Share? = nil,
        isAlive: (@Sendable () async -> Bool)? = nil
    ) -> [ServiceGroup.Member] {
        guard notifiers != nil else { return [] }
        let runner = NotifierRunner(
            feed: feed, core: core, coordinator: coordinator, share: share, isAlive: isAlive ?? { coordinator.isAlive },
            log: context.logger, metrics: context.metrics)
        return [ServiceGroup.Member("notifiers", runner)]
    }

    /// The problems that would leave people without notification: no notifiers, a wrong file, an escalation to an
    /// unknown name.
    private static func warnOfSilence(_ rules: RuleSet, _ file: NotifierFile?, _ log: Logger) {
        guard let file else { return log.warning("no notifiers: alerts are only published, see --notifiers") }
        for problem in file.problems { log.error("the notifiers' file is wrong", ["problem": problem]) }
        let known = Set(file.settings.notifiers.compactMap(\.route.escalation))
        for name in Set(rules.rules.flatMap(\.escalations).map(\.to)).subtracting(known).sorted() {
            log.warning("rules escalate to a name that no notifier has", ["name": name])
        }
    }
}
