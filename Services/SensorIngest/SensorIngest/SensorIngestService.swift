import MessageBus
package import ServiceKit
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

    package static let command = ServiceCommand(
        name: "vigil-ingest", summary: "Takes what sensors publish, checks and normalises it, and puts it on the bus.",
        details: """
            Subscribes to \(Topic.Filter.ingest) and publishes canonical batches on vigil/v1/observations/<partition>/readings and \
            …/waveforms. What is refused is published, with the reason and its place, on vigil/v1/rejects/<participant>/<device>.
            """,
        settings: [acceptUnknownMetrics, futureTolerance, maximumPayload, outbox, outboxLimit]
    ) { context in
        let parts = try await OutboxParts(context)
        let normaliser = Normaliser(
            acceptsUnknownMetrics: try context[acceptUnknownMetrics],
            futureTolerance: Double(try context[futureTolerance].components.seconds))
        let devices = try context.consumer("devices", [Subscription(Topic.Filter.ingest)])
        let pipeline = IngestPipeline(
            batches: devices.batches, delivery: parts.delivery,
            reader: MessageReader(normaliser: normaliser, limits: .init(payload: try context[maximumPayload])),
            metrics: IngestMetrics(context.metrics), log: context.logger, now: { .now })
        return parts.members + [ServiceGroup.Member("pipeline", pipeline, draining: .endsByItself), devices.member]
    }
}
