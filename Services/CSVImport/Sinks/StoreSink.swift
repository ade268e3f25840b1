import Foundation
package import MessageBus
package import TimelineStore

/// Writes batches straight into a timeline store, without a bus.
///
/// A store that is away is waited for; a batch is tried again until `patience` has passed.
package struct StoreSink: BatchSink {
    /// Between two tries while the store is away.
    private static let pause = Duration.seconds(1)

    let store: any TimelineStore
    let patience: Duration

    /// - Parameter patience: how long a batch is tried.
    package init(_ store: any TimelineStore, patience: Duration) {
        self.store = store
        self.patience = patience
    }

    /// The store that a setting names: `sqlite:PATH` or a PostgreSQL URI. The folder of a SQLite file is made.
    /// - Parameter password: of the PostgreSQL account, where it needs one.
    package static func store(_ address: String, password: Secret?) throws -> any TimelineStore {
        if address.hasPrefix("sqlite:"), address.count > 7 {
            let path = String(address.dropFirst(7))
            try FileManager.default.createDirectory(
                at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
            return SQLiteStore(path: path)
        }
        return PostgresStore(PostgresConfiguration(connection: address, password: password?.exposed))
    }

    package func deliver(_ batch: PreparedBatch) async throws(ImportError) -> DeliveryCounts {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: patience)
        while true {
            do throws(StoreError) {
                guard let counts = try await store.append([batch.batch]).first else { return DeliveryCounts() }
                return DeliveryCounts(
                    stored: counts.stored, duplicates: counts.duplicates, corrections: counts.corrections, refused: counts.rejected)
            } catch {
                guard error.isRetryable, clock.now < end, !Task.isCancelled else { throw ImportError(.sink, "the store: \(error)") }
            }
            try? await clock.sleep(for: StoreSink.pause)
        }
    }
}
