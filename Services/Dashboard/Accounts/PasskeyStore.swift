import Cryptography
package import Passkeys
import SQLiteDatabase
import ServiceKit

/// A passkey that an account signs in with, after its password.
package struct KnownPasskey: Sendable, Hashable {
    package let passkey: Passkey
    /// What its owner calls it.
    package let label: String
    package let created: Double
    /// The last time that somebody signed in with it; nil before the first.
    package let used: Double?

    /// Its name in addresses and in the browser.
    package var id: String { Base64URL.encode(passkey.id) }
}

extension AccountStore {
    /// The passkeys that an account may have.
    package static let mostPasskeys = 10

    static let passkeyTable = """
        CREATE TABLE passkeys (
            id TEXT PRIMARY KEY, account TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE, algorithm INTEGER NOT NULL, key TEXT NOT NULL,
            host TEXT NOT NULL, counter INTEGER NOT NULL, label TEXT NOT NULL, created REAL NOT NULL, used REAL
        ) WITHOUT ROWID;
        CREATE INDEX passkeys_of_account ON passkeys (account);
        """

    /// An account's passkeys, the oldest first.
    package func passkeys(of name: String) async throws -> [KnownPasskey] {
        try await state.read { database in
            let row = try database.statement(
                "SELECT id, algorithm, key, host, counter, label, created, used FROM passkeys WHERE account = ? ORDER BY created, id")
            defer { row.reset() }
            try row.bind(name, at: 1)
            var all: [KnownPasskey] = []
            while try row.step() {
                guard let id = Base64URL.decode(row.text(0)), let key = Base64URL.decode(row.text(2)),
                    let algorithm = Passkey.Algorithm(rawValue: Int32(truncatingIfNeeded: row.integer(1)))
                else { continue }
                let passkey = Passkey(
                    id: id, algorithm: algorithm, key: key, host: row.text(3), counter: UInt32(truncatingIfNeeded: row.integer(4)))
                all.append(
                    KnownPasskey(
                        passkey: passkey, label: row.text(5), created: row.real(6), used: row.isNull(7) ? nil : row.real(7)))
            }
            return all
        }
    }

    /// Adds a passkey, unless the account has as many as it may, or some account has this one.
    package func add(_ passkey: Passkey, label: String, to name: String, now: Double) async throws {
        let values: [SQLiteValue] = [
            .text(Base64URL.encode(passkey.id)), .text(name), .integer(Int64(passkey.algorithm.rawValue)),
            .text(Base64URL.encode(passkey.key)),
            .text(passkey.host), .integer(Int64(passkey.counter)), .text(label.asLabel), .real(now),
        ]
        do {
            try await state.transaction { database in
                try database.run("INSERT INTO passkeys VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)", values)
                let row = try database.statement("SELECT count(*) FROM passkeys WHERE account = ?")
                defer { row.reset() }
                try row.bind(name, at: 1)
                guard try row.step(), row.integer(0) <= Int64(Self.mostPasskeys) else { throw AccountError.tooManyPasskeys }
            }
        } catch let error as SQLiteError where error.isConstraint {
            throw AccountError.passkeyExists
        }
    }

    /// Remembers that a passkey signed somebody in. Two who use one count at once come here one after the other, and the second is refused.
    package func used(_ passkey: Passkey, of name: String, now: Double) async throws {
        let values: [SQLiteValue] = [
            .text(Base64URL.encode(passkey.id)), .text(name), .integer(Int64(passkey.counter)), .real(now),
        ]
        try await state.transaction { database in
            try database.run(
                "UPDATE passkeys SET counter = ?3, used = ?4 WHERE id = ?1 AND account = ?2 AND (counter < ?3 OR (counter = 0 AND ?3 = 0))",
                values)
            guard database.changes > 0 else { throw PasskeyError.copied }
        }
    }

    /// Removes one of the account's passkeys.
    package func removePasskey(id: String, of name: String) async throws {
        try await state.transaction { database in
            try database.run("DELETE FROM passkeys WHERE id = ? AND account = ?", [.text(id), .text(name)])
            guard database.changes > 0 else { throw AccountError.unknownPasskey }
        }
    }

    /// Removes all passkeys of an account whose owner has lost them.
    package func removePasskeys(of name: String) async throws -> Int {
        guard try await account(name) != nil else { throw AccountError.unknown(name) }
        return try await state.transaction { database in
            try database.run("DELETE FROM passkeys WHERE account = ?", [.text(name)])
            return database.changes
        }
    }
}
