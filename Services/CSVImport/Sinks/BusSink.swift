package import MessageBus
import VigilSchema

/// Publishes batches to `history/<p>` and waits for the timeline's receipts, which it sends after its commit.
///
/// Silence is not failure: the store may be down. A batch without a receipt is published again until `patience` has passed.
package struct BusSink: BatchSink {
    let requester: Requester
    let patience: Duration

    /// The time after which a batch without a receipt is published again.
    private static let timeout = Duration.seconds(60)

    /// - Parameter patience: how long a batch is waited for.
    package init(_ requester: Requester, patience: Duration) {
        self.requester = requester
        self.patience = patience
    }

    package func deliver(_ batch: PreparedBatch) async throws(ImportError) -> DeliveryCounts {
        let topic = Topic.history(batch.partition).path
        let payload = BatchEncoder.encode(batch.batch)
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: patience)
        while true {
            do {
                let answer = try await requester.request(timeout: min(BusSink.timeout, patience)) { _ in
                    OutgoingMessage(
                        topic: topic, payload: payload, properties: MessageProperties(contentType: MediaType.batch))
                }
                return try counts(answer, of: batch)
            } catch let error as BusError where error.isRetryable && clock.now < end {
                continue
            } catch let error as BusError {
                throw ImportError(.sink, "no receipt for a batch: \(error). What is confirmed stays; run the import again to go on")
            } catch {
                throw error as? ImportError ?? ImportError(.sink, "\(error)")
            }
        }
    }

    private func counts(_ answer: IncomingMessage, of batch: PreparedBatch) throws(ImportError) -> DeliveryCounts {
        guard let receipt = try? Receipt(decoding: answer.payload) else {
            throw ImportError(.sink, "the timeline's receipt cannot be read; is it of another version?")
        }
        guard receipt.count == batch.batch.count else {
            let reason = receipt.reasons.first ?? "it answered for \(receipt.count) of \(batch.batch.count) observations"
            throw ImportError(.sink, "the timeline refused a batch: \(reason)")
        }
        return DeliveryCounts(
            stored: receipt.stored, duplicates: receipt.duplicates, corrections: receipt.corrections, refused: receipt.rejected)
    }
}
