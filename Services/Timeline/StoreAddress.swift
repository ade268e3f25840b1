import Foundation
package import MessageBus
package import Settings
package import TimelineStore

/// Where the timeline is kept, as the `store` setting names it: `sqlite:PATH` or a PostgreSQL URI.
package enum StoreAddress: Sendable, Hashable {
    case sqlite(path: String)
    case postgres(uri: String)

    /// Reads the setting.
    package init(_ text: String) throws(ConfigurationError) {
        if text.hasPrefix("sqlite:"), text.count > 7 {
            self = .sqlite(path: String(text.dropFirst(7)))
        } else if text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") {
            self = .postgres(uri: text)
        } else {
            throw ConfigurationError(
                name: "--store", problem: .malformed(value: text, accepts: "sqlite:PATH or postgresql://[USER@]HOST[:PORT]/DATABASE"))
        }
    }

    /// The store there; not yet opened. The folder of a SQLite file is made.
    package func store(password: Secret?, options: StoreOptions = StoreOptions()) throws -> any TimelineStore {
        switch self {
        case .sqlite(let path):
            try FileManager.default.createDirectory(
                at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
            return SQLiteStore(path: path, options: options)
        case .postgres(let uri):
            return PostgresStore(PostgresConfiguration(connection: uri, password: password?.exposed), options: options)
        }
    }
}
