import Cryptography
import TimelineStore

/// A token with which a program uses the REST interface as an account. The token itself nobody knows but who made it.
package struct KnownToken: Sendable, Hashable {
    /// The digest of the secret, by which it is ended; harmless to show to its owner.
    package let id: String
    /// What its owner calls it.
    package let label: String
    package let created: Double
}

extension AccountStore {
    /// What the tokens begin with that change nothing. It is part of the secret, so that it cannot be taken off.
    package static let readingPrefix = "vigil_read_"

    /// A token for the account's programs; shown once.
    /// - Parameters:
    ///   - isReadOnly: whether it may only ask: for assistants and others whom one does not let act.
    ///   - lines: what the audit is told of it.
    package func makeToken(
        for name: String, label: String, isReadOnly: Bool = false, now: Double, noting lines: [AuditRecord] = []
    ) async throws -> String {
        let secret = (isReadOnly ? Self.readingPrefix : "vigil_") + RandomToken.make()
        let values: [SQLValue] = [.text(SHA256.hex(of: secret)), .text(name), .text(label.asLabel), .real(now)]
        try await database.transaction { connection in
            guard try Self.lock(name, connection) else { throw AccountError.unknown(name) }
            let known = try connection.rows("SELECT count(*) FROM tokens WHERE account = $1", [.text(name)]).first?.integer(0) ?? 0
            guard known < Self.mostTokens else { throw AccountError.tooManyTokens }
            try connection.run("INSERT INTO tokens VALUES ($1, $2, $3, $4)", values)
            try Self.append(lines, connection)
        }
        return secret
    }

    /// An account's tokens, the oldest first.
    package func tokens(of name: String) async throws -> [KnownToken] {
        try await database.read { connection in
            try connection.rows("SELECT digest, label, created FROM tokens WHERE account = $1 ORDER BY created, digest", [.text(name)])
                .map { KnownToken(id: $0.text(0), label: $0.text(1), created: $0.real(2)) }
        }
    }

    /// Ends one of the account's tokens.
    /// - Parameter lines: what the audit is told of it.
    package func endToken(id: String, of name: String, noting lines: [AuditRecord] = []) async throws {
        try await database.transaction { connection in
            guard try connection.run("DELETE FROM tokens WHERE digest = $1 AND account = $2", [.text(id), .text(name)]) > 0 else {
                throw AccountError.unknownToken
            }
            try Self.append(lines, connection)
        }
    }

    /// The session that a token stands for.
    package func session(token secret: String) async throws -> Session? { try await token(digest: SHA256.hex(of: secret)) }

    func token(digest: String) async throws -> Session? {
        try await database.read { connection in
            let holder = "WHERE name = (SELECT account FROM tokens WHERE digest = $1)" as StaticString
            guard let account = try Self.accounts(connection, holder, [.text(digest)]).first else { return nil }
            return Session(id: digest, account: account, created: 0, seen: 0, address: "", agent: "", isToken: true)
        }
    }
}
