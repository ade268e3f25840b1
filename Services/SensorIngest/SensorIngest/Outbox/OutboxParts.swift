import MessageBus
import ServiceKit
import VigilSchema

/// The outbox of a running service and what serves it.
struct OutboxParts {
    let delivery: Delivery
    /// To stand before the pipeline in the group.
    let members: [ServiceGroup.Member]

    init(_ context: ServiceContext) async throws {
        let topic = Topic.receipt(participant: context.service, device: context.instance).path
        let outbox = try await Outbox(
            path: try context.stateFile("outbox.sqlite"), survivesPowerCut: try context[SensorIngestService.outboxSync])
        let metrics = OutboxMetrics(context.metrics)
        metrics.show(await outbox.load)
        let link = OutboxLink()
        let consumer = try context.consumer("confirmations", [Subscription(topic)])
        let log = context.logger
        consumer.onConnected { info in
            link.connected(isVersion5: info.version == .v5)
            if info.version != .v5 { log.warning("without MQTT 5 nothing is confirmed: the outbox is not used, and no receipts are sent") }
        }
        delivery = Delivery(
            publisher: context.publisher, outbox: outbox, link: link, keeping: try context[SensorIngestService.outbox],
            limit: try context[SensorIngestService.outboxLimit], confirmations: topic, metrics: metrics)
        let repeater = OutboxRepeater(
            outbox: outbox, link: link, publisher: context.publisher, confirmations: topic, repeats: metrics.repeats,
            log: context.logger, now: { .now })
        let reader = ConfirmationReader(
            batches: consumer.batches, outbox: outbox, publisher: context.publisher, metrics: metrics, log: context.logger, now: { .now })
        members = [
            ServiceGroup.Member("repeater", repeater), ServiceGroup.Member("confirmations", reader, draining: .endsByItself),
            consumer.member,
        ]
    }
}
