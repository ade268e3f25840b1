/// The reason why a store could not do what it was asked.
///
/// The description names the operation and the database's code, never a stored or sent value.
package struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: String, Sendable {
        /// The database cannot be reached, or is starting or stopping.
        case unavailable
        /// The connection broke in the middle.
        case connectionLost
        /// The database has no room to write.
        case diskFull
        /// Another transaction was in the way (deadlock, serialization failure, lock).
        case conflict
        /// The schema was made by a newer program.
        case schemaTooNew
        /// The settings or the rights do not allow it: password, role, missing database, unreadable file.
        case misconfigured
        /// The database refuses the data.
        case refused
        /// A request that makes no sense, for example a range that ends before it starts.
        case badRequest
        /// Another replica has claimed the share that was written for: nothing was committed.
        case leaseLost
        /// The stored data cannot be read back.
        case corrupt
        /// Anything else.
        case failed
    }

    /// The kind of failure.
    package let code: Code
    /// The operation: `connect`, `append`, `migrate`, `query`.
    package let operation: String
    /// The event, in words, without values.
    package let detail: String
    /// PostgreSQL's SQLSTATE or SQLite's extended result code; empty where the failure is not the database's.
    package let databaseCode: String

    /// Makes an error.
    package init(_ code: Code, operation: String, detail: String, databaseCode: String = "") {
        self.code = code
        self.operation = operation
        self.detail = detail
        self.databaseCode = databaseCode
    }

    /// A Boolean value that indicates whether the same call can succeed later without anybody changing it.
    package var isRetryable: Bool {
        switch code {
        case .unavailable, .connectionLost, .diskFull, .conflict: true
        case .schemaTooNew, .misconfigured, .refused, .badRequest, .leaseLost, .corrupt, .failed: false
        }
    }

    /// A Boolean value that indicates whether other data might be taken.
    var isOfData: Bool { code == .refused || code == .badRequest }

    package var description: String {
        "\(operation) failed, \(code.rawValue): \(detail)" + (databaseCode.isEmpty ? "" : " (\(databaseCode))")
    }
}

/// The rule about a schema that another version of the program made.
enum SchemaVersion {
    static func check(found: Int, known: Int) throws(StoreError) {
        guard found <= known else {
            throw StoreError(
                .schemaTooNew, operation: "migrate",
                detail: "the database has schema version \(found), this program knows \(known): start a newer program, or restore a backup")
        }
    }
}
