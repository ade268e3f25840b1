/// One forward step of a state file's schema. Steps are never changed once released; new ones are appended.
package struct Migration: Sendable {
    /// 1 for the first, and one more for each after it.
    package let version: Int
    /// Statements with semicolons between, run in one transaction.
    package let sql: String

    package init(_ version: Int, _ sql: String) {
        self.version = version
        self.sql = sql
    }
}
