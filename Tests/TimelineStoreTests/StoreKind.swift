import TestSupport
import Testing
import TimelineStore

/// The stores that the conformance suite runs over.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
    case sqlite
    case postgres

    var testDescription: String { rawValue }

    /// Hands a fresh, empty store to `body`, and clears it away afterwards, also when `body` throws.
    func withStore<Result>(
        options: StoreOptions = StoreOptions(), _ body: (any SQLTimelineStore) async throws -> Result
    ) async throws -> Result {
        try await withStores(1, options: options) { try await body($0[0]) }
    }

    /// The same with several stores of one database, as several processes have them.
    func withStores<Result>(
        _ count: Int, options: StoreOptions = StoreOptions(), _ body: ([any SQLTimelineStore]) async throws -> Result
    ) async throws -> Result {
        let folder = try TemporaryFolder("vigil-store")
        let make = try maker(in: folder, options: options)
        let stores = (0..<count).map { _ in make() }
        do {
            let result = try await body(stores)
            for store in stores { await store.close() }
            return result
        } catch {
            for store in stores { await store.close() }
            throw error
        }
    }

    private func maker(in folder: TemporaryFolder, options: StoreOptions) throws -> () -> any SQLTimelineStore {
        switch self {
        case .sqlite:
            return { SQLiteStore(path: folder.path("timeline.sqlite"), options: options) }
        case .postgres:
            let configuration = PostgresConfiguration(connection: try PostgresServer.shared().makeDatabase())
            return { PostgresStore(configuration, options: options) }
        }
    }
}
