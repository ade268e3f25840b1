import Cryptography
import Observability
import SQLiteDatabase
import ServiceKit
import Settings

/// Somebody who is signed in: over a cookie, or with a personal token.
package struct Session: Sendable, Hashable {
    /// The digest of the secret; what the store knows it by, and harmless to show to its owner.
    package let id: String
    package let account: Account
    package let created: Double
    package let seen: Double
    package let address: String
    package let agent: String
    /// A program's token rather than a browser's cookie.
    package let isToken: Bool
}

extension AccountStore {
    /// Seconds after which an idle session ends, and any.
    package static let idle = 1800.0
    package static let longest = 12 * 3600.0
    /// Seconds that a screen on a wall stays signed in, and a link holds.
    package static let kiosk = 30 * 86_400.0
    package static let linkLife = 3 * 86_400.0

    /// Begins a session; returns the secret that the browser keeps.
    package func beginSession(of name: String, address: String, agent: String, now: Double) async throws -> String {
        let secret = RandomToken.make()
        let digest = SHA256.hex(of: secret)
        try await state.transaction { database in
            try database.run(
                "DELETE FROM sessions WHERE abs(created - ?) > ?", [.real(now), .real(Self.kiosk)])
            try database.run(
                "INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?)",
                [
                    .text(digest), .text(name), .real(now), .real(now), .text(String(address.prefix(64))), .text(String(agent.prefix(200))),
                ])
        }
        return secret
    }

    /// The session of a cookie's secret while it holds; remembers, once a minute, that it was used.
    package func session(secret: String, now: Double) async throws -> Session? {
        let digest = SHA256.hex(of: secret)
        guard let session = try await sessions("sessions.digest", digest).first, session.holds(at: now) else { return nil }
        if abs(now - session.seen) > 60 {
            try await state.transaction { try $0.run("UPDATE sessions SET seen = ?2 WHERE digest = ?1", [.text(digest), .real(now)]) }
        }
        return session
    }

    /// Returns whether the session still holds, without counting as use: for streams.
    package func currentSession(id: String, now: Double) async throws -> Session? {
        if let session = try await sessions("sessions.digest", id).first { return session.holds(at: now) ? session : nil }
        return try await token(digest: id)
    }

    /// An account's sessions that hold.
    package func sessions(of name: String, now: Double) async throws -> [Session] {
        try await sessions("sessions.account", name).filter { $0.holds(at: now) }
    }

    /// Ends a session of the account.
    package func endSession(id: String, of name: String) async throws {
        try await state.transaction { try $0.run("DELETE FROM sessions WHERE digest = ? AND account = ?", [.text(id), .text(name)]) }
    }

    private func sessions(_ column: StaticString, _ value: String) async throws -> [Session] {
        try await state.read { database in
            let row = try database.statement(
                """
                SELECT digest, created, seen, address, agent, account FROM sessions WHERE \(column) = ? ORDER BY created DESC
                """)
            defer { row.reset() }
            try row.bind(value, at: 1)
            var found: [Session] = []
            while try row.step() {
                guard let account = try Self.accounts(database, "WHERE name = ?", [.text(row.text(5))]).first else { continue }
                found.append(
                    Session(
                        id: row.text(0), account: account, created: row.real(1), seen: row.real(2), address: row.text(3),
                        agent: row.text(4),
                        isToken: false))
            }
            return found
        }
    }

    // MARK: One-time links

    /// The secret of a link with which the account's owner, once, chooses a password; earlier ones hold no more, nor does it where the clock is set back
    /// by more than it holds.
    package func makeLink(for name: String, now: Double) async throws -> String {
        let secret = RandomToken.make()
        let digest = SHA256.hex(of: secret)
        guard try await account(name) != nil else { throw AccountError.unknown(name) }
        try await state.transaction { database in
            try database.run("DELETE FROM links WHERE account = ?", [.text(name)])
            try database.run("INSERT INTO links VALUES (?, ?, ?)", [.text(digest), .text(name), .real(now + Self.linkLife)])
        }
        return secret
    }

    /// The account that a link is for, while it holds.
    package func account(ofLink secret: String, now: Double) async throws -> Account? {
        let digest = SHA256.hex(of: secret)
        return try await state.read { database in
            try Self.accounts(
                database, "WHERE name = (SELECT account FROM links WHERE digest = ? AND expires > ? AND expires <= ?)",
                [.text(digest), .real(now), .real(now + 2 * Self.linkLife)]
            ).first
        }
    }

    // MARK: Personal tokens

    /// A token for the account's programs; shown once.
    package func makeToken(for name: String, label: String, now: Double) async throws -> String {
        let secret = "vigil_" + RandomToken.make()
        guard try await account(name) != nil else { throw AccountError.unknown(name) }
        let values: [SQLiteValue] = [.text(SHA256.hex(of: secret)), .text(name), .text(label.asLabel), .real(now)]
        try await state.transaction { try $0.run("INSERT INTO tokens VALUES (?, ?, ?, ?)", values) }
        return secret
    }

    /// The session that a token stands for.
    package func session(token secret: String) async throws -> Session? { try await token(digest: SHA256.hex(of: secret)) }

    private func token(digest: String) async throws -> Session? {
        try await state.read { database in
            let holder = "WHERE name = (SELECT account FROM tokens WHERE digest = ?)" as StaticString
            guard let account = try Self.accounts(database, holder, [.text(digest)]).first else { return nil }
            return Session(id: digest, account: account, created: 0, seen: 0, address: "", agent: "", isToken: true)
        }
    }
}

extension Session {
    /// One that begins, or was seen, as far ahead as it would last was begun by a clock that was set back since: it would hold until that time comes again.
    fileprivate func holds(at now: Double) -> Bool {
        account.isKiosk
            ? abs(now - created) < AccountStore.kiosk
            : abs(now - seen) < AccountStore.idle && abs(now - created) < AccountStore.longest
    }
}

extension String {
    /// Its beginning, short in characters and in bytes: one character may be as long as its author likes.
    var asLabel: String {
        var label = String(prefix(100))
        while label.utf8.count > 400 { label.removeLast() }
        return label
    }
}
