import Cryptography
import Foundation
import Observability
import TimelineStore

/// Takes over what one dashboard kept in its file while it was alone, once, and overwrites nothing that is in the database.
///
/// An account whose name is taken there stays behind, with its sessions, links, tokens and passkeys: they may be another person's. It goes on where it was
/// interrupted, also where several dashboards have a copy of the file.
struct Adoption {
    /// Lines of the audit in one transaction.
    private static let batch: Int64 = 500
    /// What belongs to an account, with the number of its columns; the account is the second.
    private static let belongings = [("sessions", 6), ("links", 3), ("tokens", 4), ("passkeys", 9)]

    let former: AccountStore
    let accounts: AccountStore

    /// What became of the file.
    struct Outcome: Hashable {
        /// The accounts that were taken over now.
        var taken = 0
        /// The accounts that stayed behind, now or when it was done before.
        var left = 0
        /// The lines of the audit that were taken over now.
        var lines = 0
    }

    func run() async throws -> Outcome {
        let file = SHA256.hex(of: try await former.secret("pseudonyms"))
        var outcome = try await takeAccounts(file)
        while let count = try await takeAudit(file) { outcome.lines += count }
        return outcome
    }

    private func takeAccounts(_ file: String) async throws -> Outcome {
        let (secrets, people, belongings) = try await former.database.read { connection in
            let secrets = try connection.rows("SELECT name, value FROM secrets")
            let people = try connection.rows("SELECT name, roles, participants, kiosk, preferences, password, created FROM accounts")
            return (secrets, people, try Self.belongings.map { try connection.rows("SELECT * FROM \($0.0)") })
        }
        return try await accounts.database.transaction { connection in
            let file = SQLValue.text(file)
            guard try connection.run("INSERT INTO adopted VALUES ($1, 0, 0) ON CONFLICT DO NOTHING", [file]) > 0 else {
                return Outcome(left: Int(try connection.rows("SELECT left_behind FROM adopted WHERE file = $1", [file])[0].integer(0)))
            }
            for row in secrets { try connection.run("INSERT INTO secrets VALUES ($1, $2) ON CONFLICT DO NOTHING", row.values) }
            let taken = try people.filter { row in
                try connection.run("INSERT INTO accounts VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING", row.values) > 0
            }
            try Self.take(belongings, of: Set(taken.map { $0.text(0) }), connection)
            let left = people.count - taken.count
            try connection.run("UPDATE adopted SET left_behind = $2 WHERE file = $1", [file, .integer(Int64(left))])
            return Outcome(taken: taken.count, left: left)
        }
    }

    private static func take(_ belongings: [[SQLRow]], of names: Set<String>, _ connection: any SQLConnection) throws {
        for ((table, columns), rows) in zip(Self.belongings, belongings) {
            let places = (1...columns).map { "$\($0)" }.joined(separator: ", ")
            for row in rows where names.contains(row.text(1)) {
                try connection.run("INSERT INTO \(table) VALUES (\(places)) ON CONFLICT DO NOTHING", row.values)
            }
        }
    }

    /// Takes the next lines of the audit over. What the suite's audit trail has already it is not told again.
    /// - Returns: how many; nil where there are no more.
    private func takeAudit(_ file: String) async throws -> Int? {
        let done = try await accounts.database.read { connection in
            try connection.rows("SELECT audit FROM adopted WHERE file = $1", [.text(file)])[0].integer(0)
        }
        let lines = try await former.database.read { connection in
            try connection.rows(
                """
                SELECT \(AuditRecord.columns), id IN (SELECT id FROM untold) FROM audit WHERE id > $1 ORDER BY id LIMIT $2
                """, [.integer(done), .integer(Self.batch)])
        }
        guard let last = lines.last?.integer(0) else { return nil }
        let isMine = try await accounts.database.transaction { connection in
            // Another with a copy of the file may be as far.
            let isNext =
                try connection.run(
                    "UPDATE adopted SET audit = $3 WHERE file = $1 AND audit = $2", [.text(file), .integer(done), .integer(last)]) > 0
            guard isNext else { return false }
            for line in lines {
                let id = try connection.rows("\(AccountStore.appending) RETURNING id", AuditRecord(line).values)[0].integer(0)
                if line.integer(7) == 0 { try connection.run("DELETE FROM untold WHERE id = $1", [.integer(id)]) }
            }
            return true
        }
        return isMine ? lines.count : 0
    }
}
