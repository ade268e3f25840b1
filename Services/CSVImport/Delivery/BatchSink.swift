import Foundation
package import MessageBus
package import TimelineStore
import VigilSchema

/// The number of observations by outcome in the store.
package struct DeliveryCounts: Hashable, Sendable {
    /// New observations.
    package var stored = 0
    /// Duplicates.
    package var duplicates = 0
    /// Corrections, which replaced another value.
    package var corrections = 0
    /// Observations that the store refused.
    package var refused = 0
    /// Reasons for refusals: the first of each batch, at most three of an import.
    package var reasons: [String] = []

    private static let mostReasons = 3

    /// Makes counts, zero by default.
    package init(stored: Int = 0, duplicates: Int = 0, corrections: Int = 0, refused: Int = 0, reasons: [String] = []) {
        self.stored = stored
        self.duplicates = duplicates
        self.corrections = corrections
        self.refused = refused
        for reason in reasons where !self.reasons.contains(reason) && self.reasons.count < Self.mostReasons { self.reasons.append(reason) }
    }

    /// The total.
    package var total: Int { stored + duplicates + corrections + refused }

    /// The sum of both.
    package static func + (left: Self, right: Self) -> Self {
        Self(
            stored: left.stored + right.stored, duplicates: left.duplicates + right.duplicates,
            corrections: left.corrections + right.corrections, refused: left.refused + right.refused,
            reasons: left.reasons + right.reasons)
    }
}

/// Delivers batches, and returns once they are durable.
///
/// Delivering a batch again is harmless: its observations are then duplicates.
package protocol BatchSink: Sendable {
    /// Whether batches are needed at all.
    var wantsBatches: Bool { get }

    /// Returns after the store's commit with the outcome of the batch's observations. May be called for several batches
    /// at once.
    func deliver(_ batch: PreparedBatch) async throws(ImportError) -> DeliveryCounts
}

extension BatchSink {
    package var wantsBatches: Bool { true }
}

/// Delivers nothing, for `--dry-run`.
package struct NoSink: BatchSink {
    /// A sink that stores nothing.
    package init() {}

    package var wantsBatches: Bool { false }

    package func deliver(_ batch: PreparedBatch) async throws(ImportError) -> DeliveryCounts { DeliveryCounts() }
}

/// Writes batches directly to a timeline store, without a bus.
///
/// A batch is retried until `patience` has passed.
package struct StoreSink: BatchSink {
    let store: any TimelineStore
    let patience: Duration

    /// - Parameter patience: how long a batch is retried.
    package init(_ store: any TimelineStore, patience: Duration) {
        self.store = store
        self.patience = patience
    }

    package func deliver(_ batch: PreparedBatch) async throws(ImportError) -> DeliveryCounts {
        do {
            guard let counts = try await persistently(for: patience, { try await store.append([batch.batch]) }).first else {
                return DeliveryCounts()
            }
            return DeliveryCounts(
                stored: counts.stored, duplicates: counts.duplicates, corrections: counts.corrections, refused: counts.rejected,
                reasons: counts.rejections.prefix(100).map(\.reason))
        } catch { throw ImportError(.sink, "the store: \(error)") }
    }
}

/// Publishes batches to `history/<p>` and waits for the timeline's receipts, which follow its commit.
///
/// A missing receipt is no failure: the store may be away. The batch is published again until `patience` has passed.
package struct BusSink: BatchSink {
    let requester: Requester
    let patience: Duration
    /// The topic form of the deployment.
    let form: Topic.Form

    /// The most bytes of records in one request: the broker accepts 256 KiB in one message.
    static let largestRequest = 200_000

    /// The time after which a batch without a receipt is published again.
    private static let timeout = Duration.seconds(60)

    /// - Parameter patience: how long a receipt is awaited.
    /// - Parameter shares: the deployment's number of shares.
    package init(_ requester: Requester, patience: Duration, shares: Int) {
        (self.requester, self.patience) = (requester, patience)
        form = shares == 1 ? .plain : .shared
    }

    package func deliver(_ batch: PreparedBatch) async throws(ImportError) -> DeliveryCounts {
        let topic = Topic.history(batch.partition).path(form)
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: patience)
        while true {
            do {
                let answer = try await requester.request(timeout: min(BusSink.timeout, patience)) { responseTopic in
                    var asking = batch.batch
                    asking.responseTopic = responseTopic
                    return OutgoingMessage(
                        topic: topic, payload: BatchEncoder.encode(asking), properties: MessageProperties(contentType: MediaType.batch))
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
            stored: receipt.stored, duplicates: receipt.duplicates, corrections: receipt.corrections, refused: receipt.rejected,
            reasons: receipt.rejected > 0 ? receipt.reasons : [])
    }
}
