package import MessageBus
package import Settings

/// The settings by which a service with replicas finds the database of its state.
package struct StateSettings: Sendable {
    /// The place of a database, and the password of the account in its address.
    package struct Database: Sendable {
        package let uri: String
        package let password: String?
    }

    package static let accepts = "postgresql://[USER@]HOST[:PORT]/DATABASE"
    private static let format = ValueFormat<String>(
        accepts: accepts, placeholder: "URI",
        read: { text in ["postgresql://", "postgres://"].contains { text.hasPrefix($0) && text.count > $0.count } ? text : nil },
        write: { $0 })

    package let address: Setting<String?>
    package let password = Setting.secret("state-password", help: "The password of the state's database account.")

    /// - Parameter help: What the database is for, and what happens without.
    package init(help: String) { address = Setting.optional("state", Self.format, help: help) }

    package var all: [any AnySetting] { [address, password] }

    /// The database; nil where none is named.
    package func database(_ configuration: Configuration) throws(ConfigurationError) -> Database? {
        guard let uri = try configuration[address] else { return nil }
        return Database(uri: uri, password: try configuration[password]?.exposed)
    }
}
