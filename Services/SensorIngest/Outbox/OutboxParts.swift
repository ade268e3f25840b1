import MessageBus
import Observability
import ServiceKit
import Settings
import VigilSchema

/// The outbox of a running service and what serves it.
struct OutboxParts {
    let outbox: Outbox
    let delivery: Delivery
    let stamps: ArrivalStamps
    /// To stand before the pipeline in the group.
    let members: [ServiceGroup.Member]

    init(_ context: ServiceContext) async throws {
        let topic = Topic.receipt(participant: context.service, device: context.instance).path
        let outbox = try await Outbox(
            path: try context.stateFile("outbox.sqlite"), survivesPowerCut: try context[SensorIngestService.outboxSync])
        self.outbox = outbox
        let stamps = ArrivalStamps(pending: try await outbox.stamps())
        self.stamps = stamps
        let metrics = OutboxMetrics(context.metrics)
        metrics.show(await outbox.load)
        let link = OutboxLink()
        let consumer = try context.consumer("confirmations", [Subscription(topic)])
        let log = context.logger
        consumer.onConnected { info in
            link.connected()
            if info.version != .v5 { log.notice("the broker speaks MQTT 3.1.1: publishers cannot ask for receipts; the outbox works") }
        }
        delivery = Delivery(
            publisher: context.publisher, replies: context.replies, outbox: outbox, stamps: stamps,
            keeping: try context[SensorIngestService.outbox],
            limit: try context[SensorIngestService.outboxLimit], confirmations: topic, metrics: metrics)
        let repeater = OutboxRepeater(
            outbox: outbox, link: link, stamps: stamps, publisher: context.publisher, repeats: metrics.repeats,
            log: context.logger, now: { .now })
        let reader = ConfirmationReader(
            batches: consumer.batches, outbox: outbox, replies: context.replies, metrics: metrics, log: context.logger, now: { .now })
        members = [
            ServiceGroup.Member("repeater", repeater), ServiceGroup.Member("confirmations", reader, draining: .endsByItself),
            consumer.member,
        ]
    }
}
