import Cryptography
import Foundation
import Observability
import SQLiteDatabase
import ServiceKit
import Settings

/// Accounts, sessions, links, tokens and the audit, in one SQLite file that the service and `vigil people` share.
///
/// Secrets are stored hashed: who reads the file can sign in as nobody. Threading: an actor's file behind every call.
package struct AccountStore: Sendable {
    let state: ServiceState

    /// Opens or makes the file.
    package init(path: String) throws {
        state = try ServiceState(path: path, migrations: Self.migrations)
    }

    /// The file within a state folder.
    package static func path(stateFolder: String, instance: String = "main") -> String {
        "\(stateFolder)/vigil-dashboard-\(instance).accounts.sqlite"
    }

    /// Lets no line of the audit be changed.
    static let auditStays = "CREATE TRIGGER audit_stays BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END"

    private static let migrations = [
        Migration(
            1,
            """
            CREATE TABLE accounts (
                name TEXT PRIMARY KEY, roles TEXT NOT NULL, participants TEXT NOT NULL, kiosk INTEGER NOT NULL, preferences TEXT NOT NULL,
                password TEXT, created REAL NOT NULL
            ) WITHOUT ROWID;
            CREATE TABLE sessions (
                digest TEXT PRIMARY KEY, account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE, created REAL NOT NULL,
                seen REAL NOT NULL, address TEXT NOT NULL, agent TEXT NOT NULL
            ) WITHOUT ROWID;
            CREATE INDEX sessions_of_account ON sessions (account);
            CREATE TABLE links (
                digest TEXT PRIMARY KEY, account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE, expires REAL NOT NULL
            ) WITHOUT ROWID;
            CREATE TABLE tokens (
                digest TEXT PRIMARY KEY, account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE, label TEXT NOT NULL,
                created REAL NOT NULL
            ) WITHOUT ROWID;
            CREATE TABLE secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
            CREATE TABLE audit (
                id INTEGER PRIMARY KEY AUTOINCREMENT, time REAL NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
                participant TEXT NOT NULL, detail TEXT NOT NULL, address TEXT NOT NULL
            );
            CREATE TRIGGER audit_stays BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
            CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
            """),
        Migration(2, passkeyTable),
    ]

    // MARK: Accounts

    /// Adds an account without a password: a link lets its owner choose one.
    package func add(_ account: Account, now: Double) async throws {
        try account.validate()
        let row = try Self.row(account) + [.real(now)]
        do {
            try await state.transaction { try $0.run("INSERT INTO accounts VALUES (?, ?, ?, ?, ?, NULL, ?)", row) }
        } catch let error as SQLiteError where error.isConstraint {
            throw AccountError.exists(account.name)
        }
    }

    /// Stores roles, participants and preferences of an account that exists.
    package func update(_ account: Account) async throws {
        try account.validate()
        let row = try Self.row(account)
        try await state.transaction { database in
            try Self.keepingOperator(database) {
                try database.run(
                    "UPDATE accounts SET roles = ?2, participants = ?3, kiosk = ?4, preferences = ?5 WHERE name = ?1", row)
                guard database.changes > 0 else { throw AccountError.unknown(account.name) }
            }
        }
    }

    /// Removes an account with its sessions, links and tokens. What it did stays in the audit.
    package func remove(_ name: String) async throws {
        try await state.transaction { database in
            try Self.keepingOperator(database) {
                try database.run("DELETE FROM accounts WHERE name = ?", [.text(name)])
                guard database.changes > 0 else { throw AccountError.unknown(name) }
            }
        }
    }

    /// The account of that name.
    package func account(_ name: String) async throws -> Account? {
        try await state.read { try Self.accounts($0, "WHERE name = ?", [.text(name)]).first }
    }

    /// All accounts, by name.
    package func accounts() async throws -> [Account] {
        try await state.read { try Self.accounts($0, "ORDER BY name", []) }
    }

    /// The hash of the account's password; nil where it has none, or does not exist.
    package func passwordHash(of name: String) async throws -> String? {
        try await state.read { database in
            let row = try database.statement("SELECT password FROM accounts WHERE name = ?")
            defer { row.reset() }
            try row.bind(name, at: 1)
            return try row.step() && !row.isNull(0) ? row.text(0) : nil
        }
    }

    /// Sets a password's hash and ends every session and link of the account.
    package func setPassword(hash: String, of name: String) async throws {
        try await state.transaction { database in
            try database.run("UPDATE accounts SET password = ?2 WHERE name = ?1", [.text(name), .text(hash)])
            guard database.changes > 0 else { throw AccountError.unknown(name) }
            try database.run("DELETE FROM sessions WHERE account = ?", [.text(name)])
            try database.run("DELETE FROM links WHERE account = ?", [.text(name)])
        }
    }

    /// A secret of this file, made when it is first asked for.
    package func secret(_ name: String) async throws -> String {
        try await state.transaction { database in
            try database.run("INSERT OR IGNORE INTO secrets VALUES (?, ?)", [.text(name), .text(RandomToken.make())])
            let row = try database.statement("SELECT value FROM secrets WHERE name = ?")
            defer { row.reset() }
            try row.bind(name, at: 1)
            return try row.step() ? row.text(0) : ""
        }
    }

    static func accounts(_ database: Database, _ rest: StaticString, _ values: [SQLiteValue]) throws -> [Account] {
        let row = try database.statement("SELECT name, roles, participants, kiosk, preferences FROM accounts \(rest)")
        defer { row.reset() }
        try row.bind(values)
        var all: [Account] = []
        while try row.step() {
            let roles = row.text(1).split(separator: ",").compactMap { Role(rawValue: String($0)) }
            let participants = try JSONDecoder().decode([String].self, from: Data(row.text(2).utf8))
            all.append(
                Account(
                    name: row.text(0), roles: Set(roles), participants: participants, isKiosk: row.integer(3) != 0, preferences: row.text(4)
                ))
        }
        return all
    }

    private static func row(_ account: Account) throws -> [SQLiteValue] {
        let participants = String(decoding: try JSONEncoder().encode(account.participants), as: UTF8.self)
        let roles = account.roles.map(\.rawValue).sorted().joined(separator: ",")
        return [
            .text(account.name), .text(roles), .text(participants), .integer(account.isKiosk ? 1 : 0), .text(account.preferences),
        ]
    }

    private static func hasOperator(_ database: Database) throws -> Bool {
        try accounts(database, "", []).contains { $0.roles.contains(.operator) && !$0.isKiosk }
    }

    /// Changes accounts, unless nobody could make accounts any more afterwards.
    private static func keepingOperator(_ database: Database, _ change: () throws -> Void) throws {
        let had = try hasOperator(database)
        try change()
        guard try !had || hasOperator(database) else { throw AccountError.lastOperator }
    }
}
