import Foundation

/// The place where the timeline is kept, as the `store` setting names it: `sqlite:PATH` or a PostgreSQL URI.
package enum StoreAddress: Sendable, Hashable {
    case sqlite(path: String)
    case postgres(uri: String)

    /// The addresses that there are, for who mistyped one.
    package static let accepts = "sqlite:PATH or postgresql://[USER@]HOST[:PORT]/DATABASE"

    /// Reads the setting; nil for what is no address.
    package init?(_ text: String) {
        if text.hasPrefix("sqlite:"), text.count > 7 {
            self = .sqlite(path: String(text.dropFirst(7)))
        } else if ["postgresql://", "postgres://"].contains(where: { text.hasPrefix($0) && text.count > $0.count }) {
            self = .postgres(uri: text)
        } else {
            return nil
        }
    }

    /// The store there; not yet opened. The folder of a SQLite file is made.
    /// - Parameter password: of the PostgreSQL account, where it needs one.
    package func store(password: String?, options: StoreOptions = StoreOptions()) throws -> any TimelineStore {
        switch self {
        case .sqlite(let path):
            try FileManager.default.createDirectory(
                at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
            return SQLiteStore(path: path, options: options)
        case .postgres(let uri):
            return PostgresStore(PostgresConfiguration(connection: uri, password: password), options: options)
        }
    }
}
