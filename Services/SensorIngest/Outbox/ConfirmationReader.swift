package import MessageBus
package import Observability
import ServiceKit
package import VigilSchema

/// Takes the timeline's confirmations: empties the outbox, and sends the receipts that publishers asked for.
///
/// A confirmation is acknowledged only once the outbox has it and the receipts are published; a repeated one changes nothing.
package struct ConfirmationReader<Batches: AsyncSequence & Sendable>: Service where Batches.Element == MessageBatch {
    private let batches: Batches
    private let outbox: Outbox
    private let replies: ReplyPublisher
    private let metrics: OutboxMetrics
    private let log: Logger
    private let now: @Sendable () -> Timestamp

    package init(
        batches: Batches, outbox: Outbox, replies: ReplyPublisher, metrics: OutboxMetrics, log: Logger,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.batches = batches
        self.outbox = outbox
        self.replies = replies
        self.metrics = metrics
        self.log = log
        self.now = now
    }

    package func run() async throws {
        for try await batch in batches {
            do {
                try await outbox.confirm(merged(batch.messages), now: now())
                try await sendReceipts()
                batch.settle(.committed)
            } catch {
                batch.settle(.rejected)
                log.error("confirmations given back", ["messages": "\(batch.messages.count)", "error": "\(error)"])
            }
            metrics.show(await outbox.load)
        }
    }

    /// Publishes every receipt that is due.
    private func sendReceipts() async throws {
        while true {
            let finished = try await outbox.finished()
            if finished.isEmpty { return }
            try await replies.publish(finished.map(\.reply))
            try await outbox.answered(finished)
            metrics.receipts.add(finished.count)
        }
    }

    private func merged(_ messages: [IncomingMessage]) -> Confirmation {
        var merged = Confirmation()
        for message in messages {
            do {
                let confirmation = try Confirmation(decoding: message.payload)
                merged.stored += confirmation.stored
                merged.refused += confirmation.refused
                if let corrected = confirmation.corrected { merged.corrected = (merged.corrected ?? []) + corrected }
            } catch {
                // What is not confirmed is published again, so that nothing is lost by passing over this.
                log.warning("a confirmation cannot be read", ["bytes": "\(message.payload.count)"])
            }
        }
        return merged
    }
}

/// The metrics of the outbox.
package struct OutboxMetrics: Sendable {
    package let batches: Gauge
    package let bytes: Gauge
    package let repeats: Counter
    package let receipts: Counter
    package let unpublishable: Counter

    package init(_ registry: MetricsRegistry) {
        batches = registry.gauge("vigil_ingest_outbox_batches", help: "Canonical batches that the timeline has not confirmed yet")
        bytes = registry.gauge("vigil_ingest_outbox_bytes", help: "Size of the batches that the timeline has not confirmed yet")
        repeats = registry.counter("vigil_ingest_outbox_repeats_total", help: "Batches published again because no confirmation came")
        unpublishable = registry.counter(
            "vigil_ingest_unpublishable_total",
            help: "Batches that the broker never accepts: stored, or refused if a reading is too large")
        receipts = registry.counter("vigil_ingest_receipts_total", help: "Receipts sent")
    }

    /// Shows what the outbox holds.
    package func show(_ load: Outbox.Load) {
        batches.set(Double(load.batches))
        bytes.set(Double(load.bytes))
    }
}
