import Foundation

/// Which PostgreSQL database to use, and as whom.
package struct PostgresConfiguration: Hashable, Sendable, CustomStringConvertible {
    /// What libpq accepts: `host=… dbname=… user=… sslmode=verify-full sslrootcert=…`, or a `postgresql://` URI.
    package var connection: String
    /// A file that holds the password, so that it stands in no process list; read again at each connection.
    package var passwordFile: String?

    /// The password, where the caller has read it already.
    package var password: String?

    /// Makes a configuration.
    package init(connection: String, passwordFile: String? = nil, password: String? = nil) {
        self.connection = connection
        self.passwordFile = passwordFile
        self.password = password
    }

    /// Says nothing: a connection string may hold a password.
    package var description: String { "PostgreSQL" }

    /// The password, without the line end that editors add.
    func currentPassword() throws(StoreError) -> String? {
        guard let passwordFile else { return password }
        guard let text = try? String(contentsOfFile: passwordFile, encoding: .utf8) else {
            throw StoreError(.misconfigured, operation: "connect", detail: "the password file \(passwordFile) cannot be read")
        }
        return text.trimmingCharacters(in: .newlines)
    }
}
