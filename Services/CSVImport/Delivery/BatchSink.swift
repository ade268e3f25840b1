import Foundation
package import MessageBus
package import TimelineStore
import VigilSchema

/// The number of observations by what the store did with them.
package struct DeliveryCounts: Hashable, Sendable {
    /// New ones.
    package var stored = 0
    /// Those that were there already.
    package var duplicates = 0
    /// Those that replaced another value.
    package var corrections = 0
    /// Those that the store refused.
    package var refused = 0
    /// Why it did, as far as it is told: of each batch the first reasons, of an import three at most.
    package var reasons: [String] = []

    private static let mostReasons = 3

    /// Of nothing, or of what is given.
    package init(stored: Int = 0, duplicates: Int = 0, corrections: Int = 0, refused: Int = 0, reasons: [String] = []) {
        self.stored = stored
        self.duplicates = duplicates
        self.corrections = corrections
        self.refused = refused
        for reason in reasons where !self.reasons.contains(reason) && self.reasons.count < Self.mostReasons { self.reasons.append(reason) }
    }

    /// All of them.
    package var total: Int { stored + duplicates + corrections + refused }

    /// Both together.
    package static func + (left: Self, right: Self) -> Self {
        Self(
            stored: left.stored + right.stored, duplicates: left.duplicates + right.duplicates,
            corrections: left.corrections + right.corrections, refused: left.refused + right.refused,
            reasons: left.reasons + right.reasons)
    }
}

/// Takes batches and returns once they are durable.
///
/// Delivering a batch again does no harm: its observations' identities make them duplicates.
package protocol BatchSink: Sendable {
    /// A Boolean value that indicates whether batches are to be made at all.
    var wantsBatches: Bool { get }

    /// Returns after the store's commit, with what became of the batch's observations. Called for several batches at once.
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

/// Writes batches straight into a timeline store, without a bus.
///
/// A store that is away is waited for; a batch is tried again until `patience` has passed.
package struct StoreSink: BatchSink {
    let store: any TimelineStore
    let patience: Duration

    /// - Parameter patience: how long a batch is tried.
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

/// Publishes batches to `history/<p>` and waits for the timeline's receipts, which it sends after its commit.
///
/// Silence is not failure: the store may be down. A batch without a receipt is published again until `patience` has passed.
package struct BusSink: BatchSink {
    let requester: Requester
    let patience: Duration
    /// The form of the deployment's topics.
    let form: Topic.Form

    /// The most bytes of records in one request: the broker takes a quarter of a megabyte in one message.
    static let largestRequest = 200_000

    /// The time after which a batch without a receipt is published again.
    private static let timeout = Duration.seconds(60)

    /// - Parameter patience: how long a batch is waited for.
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
