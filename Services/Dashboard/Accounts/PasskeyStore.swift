import Cryptography
package import Passkeys
import TimelineStore

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

    /// An account's passkeys, the oldest first.
    package func passkeys(of name: String) async throws -> [KnownPasskey] {
        try await database.read { connection in
            try connection.rows(
                "SELECT id, algorithm, key, host, counter, label, created, used FROM passkeys WHERE account = $1 ORDER BY created, id",
                [.text(name)]
            ).compactMap { row in
                guard let id = Base64URL.decode(row.text(0)), let key = Base64URL.decode(row.text(2)),
                    let algorithm = Passkey.Algorithm(rawValue: Int32(truncatingIfNeeded: row.integer(1)))
                else { return nil }
                let passkey = Passkey(
                    id: id, algorithm: algorithm, key: key, host: row.text(3), counter: UInt32(truncatingIfNeeded: row.integer(4)))
                return KnownPasskey(passkey: passkey, label: row.text(5), created: row.real(6), used: row.optionalReal(7))
            }
        }
    }

    /// Adds a passkey, unless the account has as many as it may, or some account has this one.
    /// - Parameter lines: what the audit is told of it.
    package func add(
        _ passkey: Passkey, label: String, to name: String, now: Double, noting lines: [AuditRecord] = []
    ) async throws {
        let values: [SQLValue] = [
            .text(Base64URL.encode(passkey.id)), .text(name), .integer(Int64(passkey.algorithm.rawValue)),
            .text(Base64URL.encode(passkey.key)),
            .text(passkey.host), .integer(Int64(passkey.counter)), .text(label.asLabel), .real(now),
        ]
        try await database.transaction { connection in
            guard try Self.lock(name, connection) else { throw AccountError.unknown(name) }
            let count = try connection.rows("SELECT count(*) FROM passkeys WHERE account = $1", [.text(name)])[0].integer(0)
            guard count < Int64(Self.mostPasskeys) else { throw AccountError.tooManyPasskeys }
            let isNew =
                try connection.run(
                    "INSERT INTO passkeys VALUES ($1, $2, $3, $4, $5, $6, $7, $8, NULL) ON CONFLICT DO NOTHING", values) > 0
            guard isNew else { throw AccountError.passkeyExists }
            try Self.append(lines, connection)
        }
    }

    /// Remembers that a passkey signed somebody in. Two who use one count at once come here one after the other, and the second is refused.
    package func used(_ passkey: Passkey, of name: String, now: Double) async throws {
        let values: [SQLValue] = [
            .text(Base64URL.encode(passkey.id)), .text(name), .integer(Int64(passkey.counter)), .real(now),
        ]
        try await database.transaction { connection in
            let isHigher =
                try connection.run(
                    "UPDATE passkeys SET counter = $3, used = $4 WHERE id = $1 AND account = $2 AND (counter < $3 OR (counter = 0 AND $3 = 0))",
                    values) > 0
            guard isHigher else { throw PasskeyError.copied }
        }
    }

    /// Removes one of the account's passkeys.
    /// - Parameter lines: what the audit is told of it.
    package func removePasskey(id: String, of name: String, noting lines: [AuditRecord] = []) async throws {
        try await database.transaction { connection in
            guard try connection.run("DELETE FROM passkeys WHERE id = $1 AND account = $2", [.text(id), .text(name)]) > 0 else {
                throw AccountError.unknownPasskey
            }
            try Self.append(lines, connection)
        }
    }

    /// Removes all passkeys of an account whose owner has lost them.
    /// - Parameter lines: what the audit is told of it.
    package func removePasskeys(of name: String, noting lines: [AuditRecord] = []) async throws -> Int {
        try await database.transaction { connection in
            guard try Self.lock(name, connection) else { throw AccountError.unknown(name) }
            try Self.append(lines, connection)
            return try connection.run("DELETE FROM passkeys WHERE account = $1", [.text(name)])
        }
    }
}
