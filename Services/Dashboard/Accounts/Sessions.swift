import Cryptography
import Synchronization
import TimelineStore
import VigilSchema

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
    /// The most sessions of an account: the oldest ends where another begins.
    package static let mostSessions = 100
    /// The most tokens of an account.
    package static let mostTokens = 100
    /// Seconds that a screen on a wall stays signed in, and a link holds.
    package static let kiosk = 30 * 86_400.0
    package static let linkLife = 3 * 86_400.0

    /// The condition that a link holds at the moment in `$1`: not where the clock was set back far since it was made.
    static let linkHolds = "expires > $1 AND expires <= $1 + \(2 * linkLife)"

    /// Begins a session; returns the secret that the browser keeps.
    /// - Parameter hash: of the password that was right. Where another has been set since, nobody is signed in: all sessions were to end with it.
    package func beginSession(
        of name: String, knowing hash: String? = nil, address: String, agent: String, now: Double
    ) async throws -> String {
        let secret = RandomToken.make()
        let values: [SQLValue] = [
            .text(SHA256.hex(of: secret)), .text(name), .real(now), .real(now), .text(String(address.prefix(64))),
            .text(agent.kept(400)),
        ]
        // By itself: behind a lock on one account nothing of the others is touched.
        try await database.transaction { try $0.run("DELETE FROM sessions WHERE abs(created - $1) > $2", [.real(now), .real(Self.kiosk)]) }
        try await database.transaction { connection in
            guard try Self.lock(name, connection) else { throw AccountError.unknown(name) }
            if let hash {
                let present = try connection.rows("SELECT password FROM accounts WHERE name = $1", [.text(name)]).first?.optionalText(0)
                guard present == hash else { throw AccountError.changedPassword }
            }
            try connection.run("INSERT INTO sessions VALUES ($1, $2, $3, $4, $5, $6)", values)
            try connection.run(
                """
                DELETE FROM sessions WHERE account = $1
                AND digest NOT IN (SELECT digest FROM sessions WHERE account = $1 ORDER BY created DESC, digest LIMIT \(Self.mostSessions))
                """, [.text(name)])
        }
        return secret
    }

    /// The session of a cookie's secret while it holds; remembers, once a minute, that it was used.
    package func session(secret: String, now: Double) async throws -> Session? {
        let digest = SHA256.hex(of: secret)
        guard let session = try await sessions("digest", digest).first, session.holds(at: now) else { return nil }
        if abs(now - session.seen) > 60 {
            try await database.transaction { connection in
                try connection.run("UPDATE sessions SET seen = $2 WHERE digest = $1", [.text(digest), .real(now)])
            }
        }
        return session
    }

    /// Returns whether the session still holds, without counting as use: for streams.
    package func currentSession(id: String, now: Double) async throws -> Session? {
        if let session = try await sessions("digest", id).first { return session.holds(at: now) ? session : nil }
        return try await token(digest: id)
    }

    /// An account's sessions that hold.
    package func sessions(of name: String, now: Double) async throws -> [Session] {
        try await sessions("account", name).filter { $0.holds(at: now) }
    }

    /// Ends a session of the account.
    /// - Parameter lines: what the audit is told of it.
    package func endSession(id: String, of name: String, noting lines: [AuditRecord] = []) async throws {
        try await database.transaction { connection in
            try connection.run("DELETE FROM sessions WHERE digest = $1 AND account = $2", [.text(id), .text(name)])
            try Self.append(lines, connection)
        }
    }

    private func sessions(_ column: StaticString, _ value: String) async throws -> [Session] {
        try await database.read { connection in
            try connection.rows(
                """
                SELECT digest, sessions.created, seen, address, agent, name, roles, participants, kiosk, preferences
                FROM sessions JOIN accounts ON name = account WHERE \(column) = $1 ORDER BY sessions.created DESC
                """, [.text(value)]
            ).map { row in
                Session(
                    id: row.text(0), account: try Self.account(row, from: 5), created: row.real(1), seen: row.real(2), address: row.text(3),
                    agent: row.text(4), isToken: false)
            }
        }
    }

    // MARK: One-time links

    /// The secret of a link with which the account's owner, once, chooses a password; earlier ones hold no more, nor does it where the clock is set back
    /// by more than it holds.
    /// - Parameter lines: what the audit is told of it.
    package func makeLink(for name: String, now: Double, noting lines: [AuditRecord] = []) async throws -> String {
        let secret = RandomToken.make()
        let values: [SQLValue] = [.text(SHA256.hex(of: secret)), .text(name), .real(now + Self.linkLife)]
        try await database.transaction { connection in
            guard try Self.lock(name, connection) else { throw AccountError.unknown(name) }
            try connection.run("DELETE FROM links WHERE account = $1", [.text(name)])
            try connection.run("INSERT INTO links VALUES ($1, $2, $3)", values)
            try Self.append(lines, connection)
        }
        return secret
    }

    /// The account that a link is for, while it holds.
    package func account(ofLink secret: String, now: Double) async throws -> Account? {
        let digest = SQLValue.text(SHA256.hex(of: secret))
        return try await database.read { connection in
            let held = try connection.rows("SELECT account FROM links WHERE \(Self.linkHolds) AND digest = $2", [.real(now), digest])
            return try held.first.flatMap { try Self.accounts(connection, "WHERE name = $1", [.text($0.text(0))]).first }
        }
    }
}

/// Sessions that were looked up within the last minute, for while the database of the accounts does not answer.
///
/// They are believed for nothing but what is live: a database that has lost its leader answers again after some twenty seconds, and a carer who turns to another
/// patient meanwhile is not to lose the picture. What it costs: somebody whose session was ended in that minute, at another replica that reached the
/// database while this one did not, goes on seeing what is live until the minute is over.
package final class RecentSessions: Sendable {
    private struct Look {
        let session: Session
        let at: Double
    }

    private static let life = 60.0
    private static let most = 10_000
    private let looks = Mutex<[String: Look]>([:])

    package init() {}

    /// A session was found, or under that number none.
    func found(_ session: Session?, id: String, now: Double) {
        looks.withLock { looks in
            if looks.count >= Self.most { looks = looks.filter { abs(now - $0.value.at) < Self.life } }
            looks[id] = looks.count < Self.most ? session.map { Look(session: $0, at: now) } : nil
        }
    }

    /// The session, where it is not long ago that it was found.
    func session(id: String, now: Double) -> Session? {
        guard let look = looks.withLock({ $0[id] }), abs(now - look.at) < Self.life else { return nil }
        return look.session.isToken || look.session.holds(at: now) ? look.session : nil
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
    var asLabel: String { kept(characters: 100) }
}
