import Access
import MessageBus
package import ServiceKit
import Settings
import TimelineStore
import VigilSchema

/// `vigil-timeline`: remembers everything that the sensors said.
package enum TimelineService {
    private static let rollups = Setting.optional(
        "rollups", .boolean,
        help: "Whether minute, hour and day sums are kept for fast pages and histograms; as before by default, at first yes.")
    private static let retentionInterval = Setting(
        "retention-interval", .duration(in: .seconds(1)...(.seconds(30 * 86_400))), default: .seconds(3600),
        help: "How often the rules of `vigil timeline retention` are applied.")

    package static let command = ServiceCommand(
        name: "vigil-timeline", summary: "Stores observations, each exactly once, in PostgreSQL or SQLite.",
        details: """
            Subscribes to \(Topic.Filter.observations), \(Topic.Filter.history) and \(Topic.Filter.alertEvents). A message is acknowledged only after its commit; \
            one that carries a response topic is answered with a receipt. While the database is away nothing more is taken, and \
            nothing is lost. Answers the questions that come on \(Topic.Filter.requests(to: "timeline")).
            """,
        settings: CommonSettings.database + [rollups, retentionInterval] + AccessSettings.all
    ) { context in
        let store = try TimelineCommands.address(try context[CommonSettings.store]).store(
            password: try context[CommonSettings.storePassword]?.exposed, options: StoreOptions(rollups: try context[rollups]))
        let health = StoreHealth()
        // A transaction of some ten thousand readings is as fast as a larger one, and takes a fraction of its memory.
        let observations = try context.consumer(
            "observations", [Subscription(Topic.Filter.observations), Subscription(Topic.Filter.alertEvents)]
        ) { $0.limits.bytes = 1 << 20 }
        // Imports come over a connection of their own: live data does not stand in line behind them.
        let history = try context.consumer("history", [Subscription(Topic.Filter.history)]) { $0.receiveMaximum = 64 }
        let metrics = TimelineMetrics(context.metrics), throttle = HistoryThrottle()
        let writer = { (batches: MessageBatches, lane: Lane) in
            TimelineWriter(
                batches: batches, lane: lane, throttle: throttle, store: store, replies: context.replies, metrics: metrics,
                health: health, log: context.logger, now: { .now })
        }
        // A question that nobody waits for any more needs no answer: its session is not kept.
        let questions = try context.consumer(
            "queries", [Topic.timelineQueries.path, Topic.Filter.requests(to: "timeline")].map { Subscription($0, retainHandling: .never) }
        ) { $0.broker.session = .clean }
        let requests = RequestGuard(
            service: "timeline", control: try AccessControl(context.configuration) ?? .open, log: context.logger,
            refusal: { QueryFailure(refused: $0).answer })
        let told = try context.consumer("audit", [Subscription(Topic.Filter.audit, retainHandling: .never)]) { $0.receiveMaximum = 64 }
        let trail = AuditIntake(batches: told.batches, store: store, log: context.logger)
        let changes = try context.configuration[AccessSettings.accounts].map { accounts in
            AccountChangeIntake(
                changes: AccountChanges(besideAccounts: accounts), store: store, mark: try context.stateFile("account-changes"),
                log: context.logger)
        }
        let queries = QueryService(
            batches: GuardedRequests(
                questions.batches, requests, replies: context.replies, trail: StoredAuditTrail(store, log: context.logger)),
            handler: QueryHandler(store: store, now: { .now }), publisher: context.publisher,
            replies: context.replies, metrics: context.metrics, log: context.logger)
        let watch = DatabaseWatch(
            store: store, health: health, publisher: context.publisher, instance: try context[CommonSettings.instance], log: context.logger,
            now: { .now })
        let retention = RetentionService(
            store: store, interval: try context[retentionInterval], metrics: RetentionMetrics(context.metrics), log: context.logger,
            now: { .now })
        return [
            ServiceGroup.Member("database watch", watch), ServiceGroup.Member("retention", retention),
            ServiceGroup.Member("writer", writer(observations.batches, .live), draining: .endsByItself),
            ServiceGroup.Member("history writer", writer(history.batches, .history), draining: .endsByItself),
            ServiceGroup.Member("audit", trail, draining: .endsByItself), told.member,
        ] + (changes.map { [ServiceGroup.Member("account changes", $0)] } ?? []) + [
            ServiceGroup.Member("queries", queries, draining: .endsByItself), questions.member, history.member, observations.member,
        ]
    }
}
