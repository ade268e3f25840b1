import Foundation
import ServiceKit
package import TimelineStore

/// The tables of accounts, sessions and the audit: in a file, or in PostgreSQL. What is asked of them is the same text for both.
///
/// A transaction that writes sees what others committed before each of its statements, so that a rule over several rows holds only behind a lock
/// on them (`AccountStore.lock`).
package protocol AccountDatabase: Sendable {
    /// Reads; `body` must not write.
    func read<Result: Sendable>(_ body: @Sendable (any SQLConnection) throws -> Result) async throws -> Result

    /// Writes: all of it once `body` returns, nothing of it when it throws. It may be run again where others were in the way.
    @discardableResult
    func transaction<Result: Sendable>(_ body: @Sendable (any SQLConnection) throws -> Result) async throws -> Result

    /// Puts a pseudonym in a name's place in the audit, which is append-only for everything else.
    /// - Returns: the number of lines that were changed.
    func pseudonymise(_ name: String, as pseudonym: String, _ connection: any SQLConnection) throws -> Int

    /// Leaves nothing of what was removed where the database keeps it.
    func wipe() async throws
}

extension StoreError {
    /// A Boolean value that indicates whether the database is away, rather than refusing.
    var isAbsence: Bool { code == .unavailable || code == .connectionLost }
}

/// Accounts in one SQLite file, which the service and `vigil people` share.
struct AccountFile: AccountDatabase {
    private let state: ServiceState

    init(path: String) throws { state = try ServiceState(path: path, migrations: AccountSchema.ofFile) }

    func read<Result: Sendable>(_ body: @Sendable (any SQLConnection) throws -> Result) async throws -> Result {
        try await state.read { try body($0.connection) }
    }

    @discardableResult
    func transaction<Result: Sendable>(_ body: @Sendable (any SQLConnection) throws -> Result) async throws -> Result {
        try await state.transaction { try body($0.connection) }
    }

    func wipe() async throws { try await state.wipe() }

    func pseudonymise(_ name: String, as pseudonym: String, _ connection: any SQLConnection) throws -> Int {
        let lines = try connection.rows("SELECT id, detail FROM audit \(AuditRecord.mentioning)", [.text(name)])
        try connection.execute("DROP TRIGGER audit_stays")
        for line in lines {
            try connection.run(
                """
                UPDATE audit SET actor = CASE actor WHEN $2 THEN $3 ELSE actor END,
                    participant = CASE participant WHEN $2 THEN $3 ELSE participant END, detail = $4 WHERE id = $1
                """,
                [.integer(line.integer(0)), .text(name), .text(pseudonym), .text(line.text(1).replacingName(name, by: pseudonym))])
        }
        try connection.execute(AccountSchema.auditStays)
        return lines.count
    }
}

extension String {
    /// With another word wherever the name stands by itself.
    func replacingName(_ name: String, by other: String) -> String {
        var result = "", rest = self[...]
        while let range = rest.range(of: name) {
            let before = range.lowerBound == startIndex ? nil : self[index(before: range.lowerBound)]
            let after = range.upperBound == endIndex ? nil : self[range.upperBound]
            let isWhole = ![before, after].contains { $0.map { $0.isLetter || $0.isNumber || $0 == "_" } == true }
            result += rest[..<range.lowerBound] + (isWhole ? other : name)
            rest = rest[range.upperBound...]
        }
        return result + rest
    }
}
