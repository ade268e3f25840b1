import Foundation
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
        options: StoreOptions = StoreOptions(), _ body: (any TimelineStore) async throws -> Result
    ) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "vigil-store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try make(in: folder, options: options)
        do {
            let result = try await body(store)
            await store.close()
            return result
        } catch {
            await store.close()
            throw error
        }
    }

    private func make(in folder: URL, options: StoreOptions) throws -> any TimelineStore {
        switch self {
        case .sqlite: SQLiteStore(path: folder.appending(path: "timeline.sqlite").path, options: options)
        case .postgres:
            PostgresStore(PostgresConfiguration(connection: try PostgresServer.shared().makeDatabase()), options: options)
        }
    }
}
