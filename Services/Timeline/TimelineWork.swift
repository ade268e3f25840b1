import Access
import MessageBus
import Observability
import ServiceKit
import Settings
import TimelineStore
import VigilSchema

/// The parts of a `vigil-timeline` process, as its replicas divide them.
struct TimelineWork: Sendable {
    let context: ServiceContext
    let store: any TimelineStore
    private let health = StoreHealth()
    private let throttle = HistoryThrottle()
    private let metrics: TimelineMetrics
    private let retentionMetrics: RetentionMetrics
    private let control: AccessControl

    init(_ context: ServiceContext) throws {
        self.context = context
        store = try TimelineCommands.address(try context[CommonSettings.store]).store(
            password: try context[CommonSettings.storePassword]?.exposed,
            options: StoreOptions(rollups: try context[TimelineService.rollups]))
        (metrics, retentionMetrics) = (TimelineMetrics(context.metrics), RetentionMetrics(context.metrics))
        control = try AccessControl(context.configuration) ?? .open
    }

    /// All members of a process without replicas.
    func members() throws -> [ServiceGroup.Member] {
        let observations = try context.consumer(
            "observations", [Subscription(Topic.Filter.observations), Subscription(Topic.Filter.alertEvents)], adjust: Self.limitLive)
        // Imports have a connection of their own, so that live data do not wait behind them.
        let history = try context.consumer("history", Topic.Filter.history.map { Subscription($0) }, adjust: Self.limitFew)
        let questions = try context.consumer("queries", Self.questions, adjust: Self.forget)
        let told = try context.consumer("audit", Self.told, adjust: Self.limitFew)
        return try [
            watch(), context.diskWatch(), retention(),
            writer(observations.batches, .live), writer(history.batches, .history),
            audit(told.batches), told.member,
        ] + accountChanges() + [queries(questions.batches), questions.member, history.member, observations.member]
    }

    // MARK: - Subscriptions

    /// Requests to the timeline.
    static var questions: [Subscription] {
        [Subscription(Topic.Filter.requests(to: "timeline"), retainHandling: .never)]
    }
    /// Audit lines of other services.
    static var told: [Subscription] { [Subscription(Topic.Filter.audit, retainHandling: .never)] }

    /// A transaction of some ten thousand readings is as fast as a larger one, with a fraction of its memory.
    static func limitLive(_ configuration: inout ConsumerConfiguration) { configuration.limits.bytes = 1 << 20 }
    static func limitFew(_ configuration: inout ConsumerConfiguration) { configuration.receiveMaximum = 64 }
    /// The session is not persistent, because an old request needs no answer.
    static func forget(_ configuration: inout ConsumerConfiguration) { configuration.broker.session = .clean }

    // MARK: - Members

    func watch() throws -> ServiceGroup.Member {
        let watch = DatabaseWatch(
            store: store, health: health, publisher: context.publisher, instance: try context[CommonSettings.instance], log: context.logger,
            now: { .now })
        return ServiceGroup.Member("database watch", watch)
    }

    func retention() throws -> ServiceGroup.Member {
        let retention = RetentionService(
            store: store, interval: try context[TimelineService.retentionInterval], sealAfter: try context[TimelineService.sealAfter],
            metrics: retentionMetrics, log: context.logger,
            now: { .now })
        return ServiceGroup.Member("retention", retention)
    }

    /// - Parameter store: the store under the lease, if there is one.
    func writer(_ batches: MessageBatches, _ lane: Lane, to store: (any TimelineStore)? = nil) -> ServiceGroup.Member {
        let writer = TimelineWriter(
            batches: batches, lane: lane, throttle: throttle, store: store ?? self.store, replies: context.replies, metrics: metrics,
            health: health, log: context.logger, now: { .now })
        return ServiceGroup.Member(lane == .live ? "writer" : "history writer", writer, draining: .endsByItself)
    }

    /// Republishes messages of publishers without shares for the shares' owners.
    func forwarder(_ batches: MessageBatches) -> ServiceGroup.Member {
        let forwarder = UnsharedTopicForwarder(
            batches: batches, publisher: context.publisher, metrics: context.metrics, log: context.logger)
        return ServiceGroup.Member("strays", forwarder, draining: .endsByItself)
    }

    func queries(_ batches: MessageBatches) -> ServiceGroup.Member {
        let requests = RequestGuard(
            service: "timeline", control: control, log: context.logger, refusal: { QueryFailure(refused: $0).answer })
        let queries = QueryService(
            batches: GuardedRequests(
                batches, requests, replies: context.replies, trail: StoredAuditTrail(store, log: context.logger)),
            handler: QueryHandler(store: store, now: { .now }), publisher: context.publisher,
            replies: context.replies, metrics: context.metrics, log: context.logger)
        return ServiceGroup.Member("queries", queries, draining: .endsByItself)
    }

    func audit(_ batches: MessageBatches) -> ServiceGroup.Member {
        ServiceGroup.Member("audit", AuditIntake(batches: batches, store: store, log: context.logger), draining: .endsByItself)
    }

    /// Reads the changes of `vigil accounts`, if there are accounts.
    func accountChanges() throws -> [ServiceGroup.Member] {
        guard let accounts = try context.configuration[AccessSettings.accounts] else { return [] }
        let intake = AccountChangeIntake(
            changes: AccountChanges(besideAccounts: accounts), store: store, mark: try context.stateFile("account-changes"),
            log: context.logger)
        return [ServiceGroup.Member("account changes", intake)]
    }
}
