import Access
import MessageBus
package import ServiceKit
package import Settings
import Shares
import TimelineStore
import VigilSchema

/// `vigil-ingest`: takes in what sensors send.
package enum SensorIngestService {
    package static let acceptUnknownMetrics = Setting(
        "accept-unknown-metrics", .boolean, default: false,
        help: "Accept metrics that are not in the catalogue, under their own name.")
    package static let futureTolerance = Setting(
        "future-tolerance", .duration(in: .seconds(60) ... .seconds(30 * 86_400)), default: .seconds(86_400),
        help: "How far in the future a reading's time may be.")
    package static let maximumPayload = Setting(
        "maximum-payload", .integer(in: 1024...16_777_216), default: 1_048_576, help: "The largest message of a device, in bytes.")

    package static let outbox = Setting(
        "outbox", ValueFormat<Delivery.Keeping>.choice, default: .all,
        help: "The batches that stay on disk until vigil-timeline confirms them: all, or only those with a requested receipt.")
    package static let outboxLimit = Setting(
        "outbox-limit", .integer(in: 1 << 20...1 << 50), default: 4 << 30,
        help: "The most bytes in the outbox; beyond it ingest accepts nothing more until some are confirmed.")

    package static let outboxSync = Setting(
        "outbox-sync", .boolean, default: false,
        help: "Wait for the disk before a message is acknowledged, so that even a power cut loses nothing. Costs some milliseconds.")
    package static let correctClocks = Setting(
        "correct-clocks", .boolean, default: false,
        help: "Correct the times of a device whose clock is wrong by more than a minute. Not for devices that send old readings.")
    package static let bindDevices = Setting(
        "bind-devices", .boolean, default: false, help: "Refuse a device's readings for any participant but the first one it sent for.")
    package static let rateLimit = Setting(
        "rate-limit", .integer(in: 0...1_000_000), default: 0,
        help: "The most messages a second of one device, in bursts of up to ten seconds' worth; more are refused. 0: no limit.")
    package static let readingBudget = Setting(
        "reading-budget", .integer(in: 0...1_000_000), default: 2000,
        help: """
            Readings a second of one device, in bursts of up to fifteen seconds' worth, that are stored at once; \
            four times as many for a participant's devices together. The excess waits on disk in its own queue. \
            0: no limit.
            """)
    package static let zone = Setting.optional(
        "zone", .text,
        help: """
            The IANA time zone of the wearers' days, such as Europe/Berlin, for counts of steps that bring no time; this machine's where \
            there is none.
            """)
    package static let mappingFiles = Setting.optional(
        "mappings", .text,
        help: "Mapping files or folders, separated by commas, which say what foreign messages mean. Read again on SIGHUP.")
    package static let latest = Setting(
        "latest", .boolean, default: false, help: "Publish each series' newest reading, retained, at most once a second.")

    static let state = StateSettings(
        help: """
            The PostgreSQL database of operators' decisions and of the lease, such as \
            postgresql://user@host/database. One of several vigil-ingest then reads devices' messages, and \
            another replaces it after a failure. By default there is only one.
            """)

    /// All of its own.
    static var settings: [any AnySetting] {
        [
            acceptUnknownMetrics, futureTolerance, maximumPayload, outbox, outboxLimit, outboxSync, correctClocks, bindDevices, rateLimit,
            readingBudget, zone, latest, mappingFiles, MappingService.discovery,
        ] + state.all + HTTPIngestService.settings + PollSettings.eHealth.all + PollSettings.vehicle.all + AccessSettings.all
    }

    package static let command = ServiceCommand(
        name: "vigil-ingest", summary: "checks and normalises what sensors publish, and publishes it on the bus",
        details: """
            Subscribes to \(Topic.Filter.ingest) and publishes canonical batches on \
            vigil/v1/observations/<partition>/readings and …/waveforms. Refusals are published with reason and \
            place on vigil/v1/rejects/<participant>/<device>.
            """,
        settings: settings, build: members)

    /// The members of a running service, in order of dependency.
    @Sendable private static func members(_ context: ServiceContext) async throws -> [ServiceGroup.Member] {
        let kept = try await Outbox(path: try context.stateFile("outbox.sqlite"), survivesPowerCut: try context[outboxSync])
        let stamps = ArrivalStamps(pending: try await kept.stamps())
        let metrics = OutboxMetrics(context.metrics)
        let confirmations = Topic.receipt(participant: context.service, device: context.instance).path
        let delivery = Delivery(
            publisher: context.publisher, replies: context.replies, outbox: kept, stamps: stamps, keeping: try context[outbox],
            limit: try context[outboxLimit], confirmations: confirmations, metrics: metrics,
            log: context.logger)
        metrics.show(await kept.load)
        let registry = try DeviceRegistry(path: try context.stateFile("devices.sqlite"))
        let deviceRules = DeviceRules(rules: try await registry.rules())
        let policy = try await IngestPolicy.live(context, isOneOfSeveral: try state.database(context.configuration) != nil)
        let statuses = DeviceStatusTracker()
        try await statuses.restore(registry, correctsClocks: policy().devices.correctsClocks, at: .now)
        let database = try state.database(context.configuration).map {
            PostgresState(PostgresConfiguration(connection: $0.uri, password: $0.password), SharedDecisions.schema)
        }
        let shared = database.map { SharedDecisions($0) }
        let decisions = DeviceDecisions(registry: registry, deviceRules: deviceRules, statuses: statuses, shared: shared)
        DeviceParameters(decisions).add(to: context.exchange)
        let mappings = try MappingService(context)
        let cache = LatestValueCache()
        let reader = MessageReader(
            normaliser: try normaliser(context), limits: .init(payload: try context[maximumPayload]), deviceRules: deviceRules,
            mappings: mappings.rules, deferred: kept.deferred, lineLimit: try context[outboxLimit] / 8,
            isAnswered: try answered(context))
        let pollers = try await Poller.members(context, statuses)
        let ingestMetrics = IngestMetrics(context.metrics)
        let reporter = DeviceStatusReporter(tracker: statuses, delivery: delivery, log: context.logger, now: { .now })
        let work = { @Sendable (consumer: ServiceConsumer) in
            consumer.onAcknowledged { stamps.acknowledged() }
            consumer.onConnected { stamps.connected(keepingSession: $0.sessionPresent, reusesNumbers: $0.version != .v5) }
            mappings.follow(consumer)
            let pipeline = IngestPipeline(
                batches: consumer.batches, delivery: delivery, reader: reader, metrics: ingestMetrics, log: context.logger, policy: policy,
                latest: cache, statuses: statuses, stamps: stamps, now: { .now })
            return [ServiceGroup.Member("device-status", reporter)] + pollers.asking
                + [ServiceGroup.Member("pipeline", pipeline, draining: .endsByItself), consumer.member]
        }
        let latest = LatestPublisher(cache: cache, publisher: context.publisher, log: context.logger, now: { .now })
        let erasure = ParticipantErasure(
            registry: registry, shared: shared, deviceRules: deviceRules, statuses: statuses, outbox: kept, latest: cache,
            publisher: context.publisher, mappings: MappingErasure(rules: mappings.rules), polled: pollers.sources)
        let outboxMembers = try kept.members(context, stamps: stamps, confirmations: confirmations, metrics: metrics)
        let common =
            try context.personalData("ingest", .init(export: erasure.export, erase: erasure.erase)) + outboxMembers
            + [ServiceGroup.Member("registry", RegistryWriter(registry: registry, deviceRules: deviceRules, log: context.logger))]
            + [try context.diskWatch()] + mappings.members + (try HTTPIngestService.members(context))
            + [ServiceGroup.Member("latest", latest), pollers.queue]
        let limits = try devices(context, mappings)
        guard let database, let shared else { return common + work(try context.consumer("devices", Self.filters, adjust: limits)) }
        context.exchange.share(shared)
        let follower = DecisionFollower(decisions, shared, context.exchange, replica: context.instance, log: context.logger)
        try await follower.learn(orFail: false)
        return common + [ServiceGroup.Member("decisions", follower)]
            + (try standingBy(context, database.leases, limits, work) {
                try await follower.learn(orFail: true)
                stamps.tookOver(at: .now)
                // What another has told of devices meanwhile this one does not know.
                statuses.forgetObserved()
                try await statuses.restore(registry, correctsClocks: policy().devices.correctsClocks, at: .now)
            })
    }

    /// What only one of several processes does: taking what devices send, asking servers, and telling what is wrong with devices.
    /// - Parameter begin: is called each time before it is this one.
    private static func standingBy(
        _ context: ServiceContext, _ leases: PostgresLeases, _ limits: @escaping @Sendable (inout ConsumerConfiguration) -> Void,
        _ work: @escaping @Sendable (ServiceConsumer) -> [ServiceGroup.Member], begin: @escaping @Sendable () async throws -> Void
    ) throws -> [ServiceGroup.Member] {
        guard try !context[bindDevices] else {
            throw ConfigurationError(
                name: "--bind-devices",
                problem: .malformed(value: "true", accepts: "false with --state: the next one would bind devices anew"))
        }
        let connections = ShareConnections("devices", context)
        // One share: the broker cannot divide what devices send by participant, and dividing it otherwise would break their order.
        let member = context.sharedWork(leases, shares: 1) { owned in
            try await begin()
            return work(try connections.consumer(owned.share, Self.filters, adjust: limits))
        }
        return [member]
    }

    private static let filters = [Subscription(Topic.Filter.ingest, retainHandling: .never)]

    /// The accounts that may have receipts for a participant's devices: without a list of accounts all, and with one none of what is nobody's.
    private static func answered(_ context: ServiceContext) throws -> @Sendable (String, String) -> Bool {
        let control = try AccessControl(context.configuration) ?? .open
        return { Self.isAnswered($0, for: $1, by: control) }
    }

    static func isAnswered(_ account: String, for participant: String, by control: AccessControl) -> Bool {
        guard control.isGuarded else { return true }
        return participant != DeviceAddress.unknown.participant && control.sends(account, for: participant)
    }

    private static func normaliser(_ context: ServiceContext) throws -> Normaliser {
        Normaliser(
            acceptsUnknownMetrics: try context[acceptUnknownMetrics],
            futureTolerance: Double(try context[futureTolerance].components.seconds))
    }

    /// The limits of a consumer of all that devices send, also of what only a mapping understands. What the broker has kept from before is no new
    /// measurement.
    static func devices(
        _ context: ServiceContext, _ mappings: MappingService
    ) throws -> @Sendable (inout ConsumerConfiguration) -> Void {
        let payload = try context[maximumPayload]
        return { configuration in
            configuration.formerFilters = mappings.formerFilters
            configuration.limits.gather = .milliseconds(5)
            configuration.limits.bytes = 1 << 20
            // Room to refuse in words what is too large.
            configuration.broker.maximumPacket = max(ServiceConsumer.maximumPacket, UInt32(2 * payload))
        }
    }
}
