import Access
import MessageBus
package import ServiceKit
package import Settings
import VigilSchema

/// `vigil-ingest`: the door for sensors.
package enum SensorIngestService {
    package static let acceptUnknownMetrics = Setting(
        "accept-unknown-metrics", .boolean, default: false,
        help: "Keep metrics that the catalogue does not have, under their own name, instead of refusing them.")
    package static let futureTolerance = Setting(
        "future-tolerance", .duration(in: .seconds(60) ... .seconds(30 * 86_400)), default: .seconds(86_400),
        help: "How far in the future a reading's time may lie.")
    package static let maximumPayload = Setting(
        "maximum-payload", .integer(in: 1024...16_777_216), default: 1_048_576, help: "Larger device messages are refused, in bytes.")

    package static let outbox = Setting(
        "outbox", ValueFormat<Delivery.Keeping>.choice, default: .all,
        help: "Which batches stay on disk until vigil-timeline confirms them: all, or those whose publishers asked for a receipt.")
    package static let outboxLimit = Setting(
        "outbox-limit", .integer(in: 1 << 20...1 << 50), default: 4 << 30,
        help: "Bytes in the outbox beyond which nothing more is taken until some are confirmed.")

    package static let outboxSync = Setting(
        "outbox-sync", .boolean, default: false,
        help: "Wait for the disk before a message is acknowledged, some milliseconds: then a power cut loses nothing either.")
    package static let correctClocks = Setting(
        "correct-clocks", .boolean, default: false,
        help: "Correct the times of a device whose clock is off by more than a minute. Not for devices that send old readings.")
    package static let bindDevices = Setting(
        "bind-devices", .boolean, default: false, help: "Refuse a device's readings for any participant but the one it sent for first.")
    package static let rateLimit = Setting(
        "rate-limit", .integer(in: 0...1_000_000), default: 0,
        help: "Messages a second of one device, ten seconds' worth at once, beyond which its further ones are refused; 0 for no limit.")
    package static let mappingFiles = Setting.optional(
        "mappings", .text,
        help: "Mapping files or folders, separated by commas: how messages of other makers become readings. Read again on SIGHUP.")
    package static let latest = Setting(
        "latest", .boolean, default: false, help: "Publish each series' newest reading, retained, at most once a second.")

    /// All of its own.
    static var settings: [any AnySetting] {
        [
            acceptUnknownMetrics, futureTolerance, maximumPayload, outbox, outboxLimit, outboxSync, correctClocks, bindDevices, rateLimit,
            latest, mappingFiles,
        ] + HTTPIngestService.settings + PollSettings.eHealth.all + PollSettings.vehicle.all + AccessSettings.all
    }

    package static let command = ServiceCommand(
        name: "vigil-ingest", summary: "Takes what sensors publish, checks and normalises it, and puts it on the bus.",
        details: """
            Subscribes to \(Topic.Filter.ingest) and publishes canonical batches on vigil/v1/observations/<partition>/readings and \
            …/waveforms. What is refused is published, with the reason and its place, on vigil/v1/rejects/<participant>/<device>.
            """,
        settings: settings, build: members)

    /// The parts of a running service, in order of dependency.
    @Sendable private static func members(_ context: ServiceContext) async throws -> [ServiceGroup.Member] {
        let normaliser = Normaliser(
            acceptsUnknownMetrics: try context[acceptUnknownMetrics],
            futureTolerance: Double(try context[futureTolerance].components.seconds))
        let outbox = try await OutboxParts(context)
        let devices = try await DeviceParts(context, outbox.delivery)
        let polling = try await PollParts(context, devices.statuses)
        let board = LatestValueCache()
        let latest = LatestPublisher(board: board, publisher: context.publisher, log: context.logger, now: { .now })
        // What the broker has kept from before is no new measurement.
        let devicesSubscription = Subscription(Topic.Filter.ingest, retainHandling: .never)
        let mappings = try MappingService(context)
        let others = mappings.rules.current.filters.map { Subscription($0, retainHandling: .never) }
        let consumer = try context.consumer("devices", [devicesSubscription] + others) { configuration in
            configuration.limits.gather = .milliseconds(5)
            configuration.limits.bytes = 1 << 20
        }
        consumer.onAcknowledged { outbox.stamps.acknowledged() }
        let reader = MessageReader(
            normaliser: normaliser, limits: .init(payload: try context[maximumPayload]), deviceRules: devices.deviceRules,
            mappings: mappings.rules)
        let pipeline = IngestPipeline(
            batches: consumer.batches, delivery: outbox.delivery, reader: reader, metrics: IngestMetrics(context.metrics),
            log: context.logger, policy: devices.policy, latest: board, statuses: devices.statuses, stamps: outbox.stamps, now: { .now })
        let http = try HTTPIngestService.members(context)
        let erasure = ParticipantErasure(
            registry: devices.registry, deviceRules: devices.deviceRules, statuses: devices.statuses, outbox: outbox.outbox, latest: board,
            publisher: context.publisher)
        return try context.erasure("ingest", erasure.erase) + outbox.members + devices.members + polling.members + mappings.members + http
            + [ServiceGroup.Member("latest", latest)]
            + [ServiceGroup.Member("pipeline", pipeline, draining: .endsByItself), consumer.member]
    }
}
