/// Why SQLite refused an operation.
///
/// The message is SQLite's own: it names tables and columns, never the values that were bound.
package struct SQLiteError: Error, Sendable, CustomStringConvertible {
    /// SQLite's extended result code, for example 1555 for a primary-key violation.
    package let code: Int32
    /// What was being done: `open`, `prepare`, `step`, `bind`.
    package let operation: String
    /// SQLite's message.
    package let message: String

    package init(code: Int32, operation: String, message: String) {
        self.code = code
        self.operation = operation
        self.message = message
    }

    /// The primary result code, the low byte of `code`.
    package var primaryCode: Int32 { code & 0xFF }
    /// Another connection holds the lock: trying again later can succeed.
    package var isBusy: Bool { primaryCode == 5 || primaryCode == 6 }
    /// The disk is full or could not be written: trying again later can succeed.
    package var isStorageFailure: Bool { primaryCode == 13 || primaryCode == 10 }
    /// A constraint was violated.
    package var isConstraint: Bool { primaryCode == 19 }

    package var description: String { "SQLite \(operation) failed: \(message) (code \(code))" }
}
