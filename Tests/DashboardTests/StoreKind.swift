import Foundation
import TestSupport
import TimelineStore

@testable import Dashboard

/// The two places that accounts are kept in.
enum StoreKind: CaseIterable {
    case file, database

    /// A store of its own.
    func make() throws -> AccountStore {
        switch self {
        case .file: try AccountStore(path: ":memory:")
        case .database: try Self.store(in: PostgresServer.shared().makeDatabase())
        }
    }

    /// Two stores of the same accounts, as two dashboards, or one and `vigil people`, have them.
    func two() throws -> TwoStores {
        switch self {
        case .file:
            let folder = try TemporaryFolder("vigil-accounts")
            let stores = try (0..<2).map { _ in try AccountStore(path: folder.path("accounts.sqlite")) }
            return TwoStores(all: stores, folder: folder)
        case .database:
            let place = try PostgresServer.shared().makeDatabase()
            return TwoStores(all: [Self.store(in: place), Self.store(in: place)], folder: nil)
        }
    }

    /// With more time than whoever waits for a page has: all tests at once are slow.
    static func store(in place: String) -> AccountStore {
        AccountStore(PostgresAccounts(PostgresConfiguration(connection: place), isPatient: true))
    }
}

/// Two stores of the same accounts.
struct TwoStores: Sendable {
    let all: [AccountStore]
    /// Kept as long as they are.
    let folder: TemporaryFolder?

    subscript(number: Int) -> AccountStore { all[number] }
}
