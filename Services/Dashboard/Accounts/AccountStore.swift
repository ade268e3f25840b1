import Cryptography
import Foundation
import TimelineStore

/// Accounts, sessions, links, tokens and the audit, in one SQLite file or in PostgreSQL, which the service, its replicas and `vigil people` share.
///
/// Secrets are stored hashed: who reads them can sign in as nobody. Threading: any number of tasks.
package struct AccountStore: Sendable {
    let database: any AccountDatabase

    /// Opens or makes the file.
    package init(path: String) throws { database = try AccountFile(path: path) }

    /// In a database, for dashboards that serve side by side.
    package init(_ database: PostgresAccounts) { self.database = database }

    /// The file within a state folder.
    package static func path(stateFolder: String, instance: String = "main") -> String {
        "\(stateFolder)/vigil-dashboard-\(instance).accounts.sqlite"
    }

    // MARK: Accounts

    /// Adds an account without a password: a link lets its owner choose one.
    /// - Parameter note: who adds it; nil where nobody is to be told of.
    package func add(_ account: Account, now: Double, note: AccountNote? = nil) async throws {
        var new = account
        try new.settle()
        let (account, row) = (new, try Self.row(new) + [.real(now)])
        let isNew = try await database.transaction { connection in
            guard try connection.run("INSERT INTO accounts VALUES ($1, $2, $3, $4, $5, NULL, $6) ON CONFLICT DO NOTHING", row) > 0 else {
                return false
            }
            try Self.append(note?.added(account) ?? [], connection)
            return true
        }
        guard isNew else { throw AccountError.exists(account.name) }
    }

    /// Changes roles, participants or preferences of an account: as it is now, whatever others have changed since somebody looked at it.
    /// - Parameter note: who changes it; nil where nobody is to be told of.
    /// - Returns: the account as it is then.
    @discardableResult
    package func change(
        _ name: String, note: AccountNote? = nil, _ change: @Sendable (inout Account) throws -> Void
    ) async throws -> Account {
        try await database.transaction { connection in
            try Self.keepingOperator(connection) {
                guard let former = try Self.accounts(connection, "WHERE name = $1", [.text(name)]).first else {
                    throw AccountError.unknown(name)
                }
                var account = former
                try change(&account)
                try account.settle(after: former)
                try connection.run(
                    "UPDATE accounts SET roles = $2, participants = $3, kiosk = $4, preferences = $5 WHERE name = $1", try Self.row(account)
                )
                try Self.append(note?.changed(former, account) ?? [], connection)
                return account
            }
        }
    }

    /// Removes an account with its sessions, links and tokens. What it did stays in the audit.
    /// - Parameter lines: what the audit is told of it.
    package func remove(_ name: String, noting lines: [AuditRecord] = []) async throws {
        try await database.transaction { connection in
            try Self.keepingOperator(connection) {
                guard try connection.run("DELETE FROM accounts WHERE name = $1", [.text(name)]) > 0 else {
                    throw AccountError.unknown(name)
                }
                try Self.append(lines, connection)
            }
        }
    }

    /// The account of that name.
    package func account(_ name: String) async throws -> Account? {
        try await database.read { try Self.accounts($0, "WHERE name = $1", [.text(name)]).first }
    }

    /// All accounts, by name.
    package func accounts() async throws -> [Account] {
        try await database.read { try Self.accounts($0, "", []) }
    }

    /// The hash of the account's password; nil where it has none, or does not exist.
    package func passwordHash(of name: String) async throws -> String? {
        try await database.read { connection in
            try connection.rows("SELECT password FROM accounts WHERE name = $1", [.text(name)]).first?.optionalText(0)
        }
    }

    /// Sets a password's hash and ends every session and link of the account; with a link, which is for who lost the password or fears for it, also every
    /// token and share link.
    /// - Parameters:
    ///   - link: the secret of the link with which its owner chose it, which must still hold: of two who use one, the second is refused.
    ///   - lines: what the audit is told of it.
    package func setPassword(
        hash: String, of name: String, with link: String? = nil, now: Double = 0, noting lines: [AuditRecord] = []
    ) async throws {
        let digest = link.map { SQLValue.text(SHA256.hex(of: $0)) }
        try await database.transaction { connection in
            guard try Self.lock(name, connection) else { throw AccountError.unknown(name) }
            if let digest {
                let used = try connection.run(
                    "DELETE FROM links WHERE \(Self.linkHolds) AND digest = $2 AND account = $3", [.real(now), digest, .text(name)])
                guard used > 0 else { throw AccountError.usedLink }
                try connection.run("DELETE FROM tokens WHERE account = $1", [.text(name)])
                try connection.run("DELETE FROM share_links WHERE account = $1", [.text(name)])
            }
            try connection.run("UPDATE accounts SET password = $2 WHERE name = $1", [.text(name), .text(hash)])
            try connection.run("DELETE FROM sessions WHERE account = $1", [.text(name)])
            try connection.run("DELETE FROM links WHERE account = $1", [.text(name)])
            try Self.append(lines, connection)
        }
    }

    /// A secret of all who use these accounts, made when it is first asked for.
    package func secret(_ name: String) async throws -> String {
        let made = RandomToken.make()
        return try await database.transaction { connection in
            try connection.run("INSERT INTO secrets VALUES ($1, $2) ON CONFLICT DO NOTHING", [.text(name), .text(made)])
            return try connection.rows("SELECT value FROM secrets WHERE name = $1", [.text(name)])[0].text(0)
        }
    }

    static func accounts(_ connection: any SQLConnection, _ condition: StaticString, _ values: [SQLValue]) throws -> [Account] {
        try connection.rows("SELECT name, roles, participants, kiosk, preferences FROM accounts \(condition) ORDER BY name", values)
            .map { try account($0) }
    }

    /// The account whose columns begin at one of a row.
    static func account(_ row: SQLRow, from first: Int = 0) throws -> Account {
        let roles = row.text(first + 1).split(separator: ",").compactMap { Role(rawValue: String($0)) }
        let participants = try JSONDecoder().decode([String].self, from: Data(row.text(first + 2).utf8))
        return Account(
            name: row.text(first), roles: Set(roles), participants: participants, isKiosk: row.integer(first + 3) != 0,
            preferences: row.text(first + 4))
    }

    static func row(_ account: Account) throws -> [SQLValue] {
        let participants = String(decoding: try JSONEncoder().encode(account.participants), as: UTF8.self)
        let roles = account.roles.map(\.rawValue).sorted().joined(separator: ",")
        return [
            .text(account.name), .text(roles), .text(participants), .integer(account.isKiosk ? 1 : 0), .text(account.preferences),
        ]
    }
}

// MARK: - Several at once

extension AccountStore {
    /// Keeps others from an account, and from beginning anything of its, until the transaction ends.
    /// - Returns: whether there is such an account.
    static func lock(_ name: String, _ connection: any SQLConnection) throws -> Bool {
        try !connection.rows("SELECT 1 FROM accounts WHERE name = $1 \(type(of: connection).lockingClause)", [.text(name)]).isEmpty
    }

    /// Keeps others from all accounts, in one order for everybody, until the transaction ends.
    static func lockAll(_ connection: any SQLConnection) throws {
        let clause = type(of: connection).lockingClause
        if !clause.isEmpty { _ = try connection.rows("SELECT 1 FROM accounts ORDER BY name \(clause)") }
    }

    private static func hasOperator(_ connection: any SQLConnection) throws -> Bool {
        try accounts(connection, "", []).contains { $0.roles.contains(.operator) && !$0.isKiosk }
    }

    /// Changes accounts, unless nobody could make accounts any more afterwards. Two who would each leave the other's operator come one after the other.
    private static func keepingOperator<Result>(_ connection: any SQLConnection, _ change: () throws -> Result) throws -> Result {
        try lockAll(connection)
        let had = try hasOperator(connection)
        let result = try change()
        guard try !had || hasOperator(connection) else { throw AccountError.lastOperator }
        return result
    }
}
