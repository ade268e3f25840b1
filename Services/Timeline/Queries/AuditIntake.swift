import Access
import Foundation
package import MessageBus
package import Observability
import ServiceKit
package import TimelineStore
package import VigilSchema

/// Stores the audit lines of other services, and acknowledges them once they are stored.
///
/// An invalid message is logged and skipped, because only services of the suite may publish there.
package struct AuditIntake<Batches: AsyncSequence & Sendable>: Service where Batches.Element == MessageBatch {
    /// The pause before an absent store is asked again.
    private static var pause: Duration { .seconds(1) }

    private let batches: Batches
    private let store: any TimelineStore
    private let log: Logger
    private let clock: any Clock<Duration>

    package init(batches: Batches, store: any TimelineStore, log: Logger, clock: any Clock<Duration> = ContinuousClock()) {
        (self.batches, self.store, self.log, self.clock) = (batches, store, log, clock)
    }

    package func run() async throws {
        for try await batch in batches {
            do {
                try await store.append(audit: batch.messages.filter { !$0.retained }.flatMap(entries))
                batch.settle(.committed)
            } catch {
                batch.settle(.rejected)
                if Task.isCancelled { return }
                log.error("the audit trail could not be told; trying again", ["error": "\(error)"])
                try await clock.sleep(for: Self.pause)
            }
        }
    }

    private func entries(_ message: IncomingMessage) -> [AuditEntry] {
        do {
            let entries = try JSONDecoder().decode([AuditEntry].self, from: Data(message.payload))
            for entry in entries { try entry.validate() }
            return entries
        } catch {
            log.warning("a message is no line for the audit trail", ["topic": message.topic])
            return []
        }
    }
}

/// The timeline's own audit trail, for refused requests.
package struct StoredAuditTrail: AuditTrailWriting {
    private let store: any TimelineStore
    private let log: Logger

    package init(_ store: any TimelineStore, log: Logger) { (self.store, self.log) = (store, log) }

    package func write(_ entries: [AuditEntry]) async throws {
        do {
            try await store.append(audit: entries)
        } catch {
            // A refusal stays a refusal while the database is away.
            log.error("the audit trail could not be told", ["lines": "\(entries.count)", "error": "\(error)"])
        }
    }
}
