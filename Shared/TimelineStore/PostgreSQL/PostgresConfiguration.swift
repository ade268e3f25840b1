import Foundation

/// Which PostgreSQL database to use, and as whom.
package struct PostgresConfiguration: Hashable, Sendable {
    /// What libpq accepts: `host=… dbname=… user=… sslmode=verify-full sslrootcert=…`, or a `postgresql://` URI.
    package var connection: String
    /// A file that holds the password, so that it stands in no process list; read again at each connection.
    package var passwordFile: String?

    /// Makes a configuration.
    package init(connection: String, passwordFile: String? = nil) {
        self.connection = connection
        self.passwordFile = passwordFile
    }

    /// The password, without the line end that editors add.
    func password() throws(StoreError) -> String? {
        guard let passwordFile else { return nil }
        guard let text = try? String(contentsOfFile: passwordFile, encoding: .utf8) else {
            throw StoreError(.misconfigured, operation: "connect", detail: "the password file \(passwordFile) cannot be read")
        }
        return text.trimmingCharacters(in: .newlines)
    }
}
