import Synchronization
import TimelineStore
import VigilSchema

/// A real store in front of which a test lets some appends fail.
final class FlakyStore: SQLTimelineStore {
    private let store: any SQLTimelineStore
    private let failures: Mutex<[StoreError]>
    private let writeFailures: Mutex<[StoreError]>
    private let commitsFirst: Bool
    private let histories = Atomic<Int>(0)

    /// - Parameters:
    ///   - failures: of the next appends.
    ///   - writeFailures: of the next other transactions that write.
    ///   - commitsFirst: whether a failing append has committed before its connection "breaks".
    init(
        _ store: any SQLTimelineStore, failures: [StoreError], writeFailures: [StoreError] = [], commitsFirst: Bool = false
    ) {
        self.store = store
        self.writeFailures = Mutex(writeFailures)
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

    /// The number of appends that were an import's.
    var historyAppends: Int { histories.load(ordering: .relaxed) }

    func appendHistory(_ batches: [ObservationBatch]) async throws(StoreError) -> [AppendCounts] {
        histories.add(1, ordering: .relaxed)
        return try await append(batches)
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

    func record<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await write(body)
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        if let failure = writeFailures.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw failure }
        return try await store.write(body)
    }
}
