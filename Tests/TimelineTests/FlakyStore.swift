import Synchronization
import TimelineStore
import VigilSchema

/// A real store in front of which a test lets some appends fail.
final class FlakyStore: TimelineStore {
    private let store: any TimelineStore
    private let failures: Mutex<[StoreError]>
    private let commitsFirst: Bool

    /// - Parameter commitsFirst: whether a failing append has committed before its connection "breaks".
    init(_ store: any TimelineStore, failures: [StoreError], commitsFirst: Bool = false) {
        self.store = store
        self.failures = Mutex(failures)
        self.commitsFirst = commitsFirst
    }

    func open() async throws(StoreError) { try await store.open() }

    func close() async { await store.close() }

    func append(_ batches: [ObservationBatch]) async throws(StoreError) -> [AppendCounts] {
        if let failure = failures.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            if commitsFirst { _ = try await store.append(batches) }
            throw failure
        }
        return try await store.append(batches)
    }

    func append(alerts: [AlertMessage]) async throws(StoreError) -> AppendCounts {
        if let failure = failures.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            if commitsFirst { _ = try await store.append(alerts: alerts) }
            throw failure
        }
        return try await store.append(alerts: alerts)
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await store.read(body)
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await store.write(body)
    }
}
